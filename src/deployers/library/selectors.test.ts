import { describe, expect, it } from 'vitest'
import type { Target } from '../resources/types.ts'
import { judgeResponsibility } from './responsibility.ts'
import { checkSelectors, matchOne, matchSelector, type Requirement, type SelectorOperator } from './selectors.ts'

const target: Target = {
  apiVersion: 'landscaper.gardener.cloud/v1alpha1',
  kind: 'Target',
  metadata: {
    name: 'north',
    namespace: 'here',
    labels: { zone: 'a', size: '7' },
    annotations: { 'example.com/env': 'prod' },
  },
  spec: { type: 't' },
}

describe('target selectors', () => {
  it('are ORed; the fields of one selector are ANDed and empty fields ignored [deployers R6]', () => {
    const wrong = { labels: [{ key: 'zone', operator: '=', values: ['b'] }] } as const
    const right = { labels: [{ key: 'zone', operator: '=', values: ['a'] }] } as const
    expect(matchOne(target, [wrong])).toBe(false)
    expect(matchOne(target, [wrong, right])).toBe(true)
    expect(matchSelector(target, { ...right, targets: [{ name: 'south' }] })).toBe(false)
    expect(matchSelector(target, { ...right, annotations: [{ key: 'example.com/env', operator: '!' }] })).toBe(false)
    expect(matchSelector(target, { ...right, targets: [], annotations: [] })).toBe(true)
    expect(matchSelector(target, {})).toBe(true)
  })

  it('match targets by name, and by namespace only when given [deployers R7]', () => {
    const named = (...targets: { name: string; namespace?: string }[]) => matchSelector(target, { targets })
    expect(named({ name: 'north' })).toBe(true)
    expect(named({ name: 'north', namespace: 'here' })).toBe(true)
    expect(named({ name: 'north', namespace: 'there' })).toBe(false)
    expect(named({ name: 'south' }, { name: 'north' })).toBe(true)
  })

  it('need all requirements on annotations and labels to match [deployers R8]', () => {
    const zone: Requirement = { key: 'zone', operator: 'exists' }
    const env: Requirement = { key: 'example.com/env', operator: 'in', values: ['test', 'prod'] }
    expect(matchSelector(target, { labels: [zone], annotations: [env] })).toBe(true)
    expect(matchSelector(target, { labels: [zone, { key: 'other', operator: 'exists' }] })).toBe(false)
    expect(matchSelector(target, { labels: [env] })).toBe(false)
  })

  const operators: readonly [SelectorOperator, readonly string[], present: boolean, absent: boolean][] = [
    ['=', ['7'], true, false],
    ['==', ['7'], true, false],
    ['==', ['8'], false, false],
    ['!=', ['7'], false, true],
    ['!=', ['8'], true, true],
    ['in', ['6', '7'], true, false],
    ['notin', ['6', '7'], false, true],
    ['notin', ['6'], true, true],
    ['exists', [], true, false],
    ['!', [], false, true],
    ['gt', ['6'], true, false],
    ['gt', ['7'], false, false],
    ['lt', ['8'], true, false],
    ['lt', ['1'], false, false],
  ]
  it.each(operators)(
    'operator %s %j: %s when present, %s when absent [deployers R8 R9]',
    (operator, values, present, absent) => {
      expect(matchSelector(target, { labels: [{ key: 'size', operator, values }] })).toBe(present)
      expect(matchSelector(target, { labels: [{ key: 'missing', operator, values }] })).toBe(absent)
    },
  )

  it('compare only whole numbers with gt and lt [deployers R9]', () => {
    expect(matchSelector(target, { labels: [{ key: 'zone', operator: 'gt', values: ['1'] }] })).toBe(false)
  })

  const wrong: readonly [Requirement, string][] = [
    [{ key: 'a', operator: 'in', values: [] }, 'at least one value'],
    [{ key: 'a', operator: 'notin' }, 'at least one value'],
    [{ key: 'a', operator: '=', values: ['x', 'y'] }, 'exactly one value'],
    [{ key: 'a', operator: '!=' }, 'exactly one value'],
    [{ key: 'a', operator: 'exists', values: ['x'] }, 'takes no values'],
    [{ key: 'a', operator: '!', values: ['x'] }, 'takes no values'],
    [{ key: 'a', operator: 'gt', values: ['x'] }, 'whole number'],
    [{ key: 'a b', operator: 'exists' }, 'is not a label key'],
    [{ key: 'x/y/z', operator: 'exists' }, 'is not a label key'],
    [{ key: 'a', operator: '=', values: ['no spaces'] }, 'is not a label value'],
    [{ key: 'a', operator: 'In' as 'in', values: ['x'] }, 'is not one of'],
  ]
  it.each(wrong)('refuse %j: %s [deployers R9]', (requirement, message) => {
    expect(() => matchOne(target, [{ annotations: [requirement] }])).toThrow(message)
    expect(() => checkSelectors([{ labels: [requirement] }])).toThrow(message)
    // Even where another selector would have matched first.
    expect(() => matchOne(target, [{}, { labels: [requirement] }])).toThrow(message)
  })
})

describe('judgeResponsibility', () => {
  const deployer = { type: 't', targetSelectors: [] as { targets: { name: string }[] }[] }
  const item = { apiVersion: 'a/v1', kind: 'DeployItem', metadata: { name: 'one' }, spec: { type: 't' } }

  it('accepts every target without selectors [deployers R5]', () => {
    expect(judgeResponsibility(deployer, item, target)).toMatchObject({ isResponsible: true, target })
  })

  it('ignores selectors for an item without a target [deployers R2]', () => {
    const selective = { ...deployer, targetSelectors: [{ targets: [{ name: 'south' }] }] }
    expect(judgeResponsibility(selective, item, undefined)).toMatchObject({ isResponsible: true, target: undefined })
    expect(judgeResponsibility(selective, item, target)).toEqual({
      isResponsible: false,
      target,
      why: 'no target selector matches Target north',
    })
  })

  it('compares the type first [deployers N3]', () => {
    const other = { ...item, spec: { type: 'u' } }
    expect(judgeResponsibility(deployer, other, target)).toMatchObject({
      isResponsible: false,
      why: 'the item has type u, the deployer has type t',
    })
  })
})
