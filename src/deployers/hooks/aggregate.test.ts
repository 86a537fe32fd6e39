import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  abortRuleOf,
  aggregateHookResults,
  aggregateHookResultsWithInvertedAbortPriority,
  defaultResult,
  merge,
} from './aggregate.ts'
import { type HookResult, hookTypes } from './registry.ts'

type Short = readonly [requeue: boolean, after: number, abort: boolean]

const [T, F] = [true, false]
const long = (short: Short | null): HookResult | null =>
  short === null ? null : { reconcileResult: { requeue: short[0], requeueAfterMs: short[1] }, abortReconcile: short[2] }

const rows: readonly { input: readonly (Short | null)[]; or: Short | null; and: Short | null; id: string }[] = [
  { id: 'G1', input: [], or: null, and: null },
  { id: 'G1', input: [null, null], or: null, and: null },
  { id: 'G2', input: [null, [F, 30, T]], or: [F, 30, T], and: [F, 30, T] },
  { id: 'G3', input: [[T, 30, F]], or: [T, 30, F], and: [T, 30, F] },
  {
    id: 'G5',
    input: [
      [F, 0, F],
      [F, 30, T],
    ],
    or: [F, 30, T],
    and: [F, 30, F],
  },
  {
    id: 'G6',
    input: [
      [F, 30, T],
      [F, 10, T],
    ],
    or: [F, 10, T],
    and: [F, 10, T],
  },
  {
    id: 'G7',
    input: [
      [F, 10, F],
      [T, 0, F],
    ],
    or: [T, 0, F],
    and: [T, 0, F],
  },
  {
    id: 'G8',
    input: [
      [T, 0, F],
      [F, 10, F],
    ],
    or: [T, 0, F],
    and: [T, 0, F],
  },
  {
    id: 'G9',
    input: [
      [F, 0, F],
      [F, 0, F],
    ],
    or: [F, 0, F],
    and: [F, 0, F],
  },
  { id: 'G10', input: [[F, 10, T], null, [F, 0, F], [F, 5, F]], or: [F, 5, T], and: [F, 5, F] },
]

describe('aggregation', () => {
  it.each(rows)(
    '$input becomes $or by OR and $and by AND [deployers G1 G2 G3 G5 G6 G7 G8 G9 G10]',
    ({ input, or, and }) => {
      const results = input.map(long)
      expect(aggregateHookResults(...results)).toEqual(long(or) ?? undefined)
      expect(aggregateHookResultsWithInvertedAbortPriority(...results)).toEqual(long(and) ?? undefined)
    },
  )

  it('normalizes a single result when it is merged into the current one [deployers G4]', () => {
    expect(merge(defaultResult, { reconcileResult: { requeue: true, requeueAfterMs: 30 } }, 'any aborts')).toEqual({
      reconcileResult: { requeue: true, requeueAfterMs: 0 },
      abortReconcile: false,
    })
  })

  it('treats missing fields as false', () => {
    expect(aggregateHookResults({})).toEqual(defaultResult)
  })

  it('requires all hooks to abort at DuringResponsibilityCheck and ShouldReconcile only [deployers G11]', () => {
    expect(hookTypes.filter((type) => abortRuleOf(type) === 'all abort')).toEqual([
      'DuringResponsibilityCheck',
      'ShouldReconcile',
    ])
  })
})

const anyResult = fc.record(
  {
    reconcileResult: fc.record(
      { requeue: fc.boolean(), requeueAfterMs: fc.integer({ min: -5, max: 50 }) },
      { requiredKeys: [] },
    ),
    abortReconcile: fc.boolean(),
  },
  { requiredKeys: [] },
)
const anyResults = fc.array(fc.option(anyResult), { maxLength: 6 })

describe.each([
  ['OR', aggregateHookResults],
  ['AND', aggregateHookResultsWithInvertedAbortPriority],
] as const)('aggregation by %s', (_, aggregate) => {
  it('neither changes nor returns the results it is called with [deployers G12]', () => {
    fc.assert(
      fc.property(anyResults, (results) => {
        const before = structuredClone(results)
        const sum = aggregate(...results)
        expect(results).toEqual(before)
        for (const result of results) {
          expect(sum).not.toBe(result)
          if (result?.reconcileResult) expect(sum?.reconcileResult).not.toBe(result.reconcileResult)
        }
      }),
    )
  })

  it('does not depend on the order, except for a single result [deployers G13]', () => {
    fc.assert(
      fc.property(anyResults, fc.integer(), (results, turn) => {
        fc.pre(results.filter((result) => result !== null).length !== 1)
        const at = results.length === 0 ? 0 : Math.abs(turn) % results.length
        expect(aggregate(...results.slice(at), ...results.slice(0, at))).toEqual(aggregate(...results))
        expect(aggregate(...results.toReversed())).toEqual(aggregate(...results))
      }),
    )
  })

  it('treats a negative requeueAfter as none [deployers G14]', () => {
    expect(aggregate({ reconcileResult: { requeueAfterMs: -3 } }, { reconcileResult: { requeueAfterMs: 7 } })).toEqual({
      reconcileResult: { requeue: false, requeueAfterMs: 7 },
      abortReconcile: false,
    })
  })
})
