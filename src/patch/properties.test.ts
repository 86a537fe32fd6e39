/** Properties of all documents, compared with an independent implementation, and hostile input. */
import fc from 'fast-check'
import fastJsonPatch from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../runtime/json.ts'
import { diff } from './diff.ts'
import { equal } from './equal.ts'
import { PatchError } from './errors.ts'
import { applyJsonPatch } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { parsePointer } from './pointer.ts'
import { mergeTable } from './strategic/lookup.ts'
import { applyStrategicMergePatch } from './strategic/merge.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd/e', 'f~g', '', '0', '1')
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, 1, 1.5, 'x', 'y', '', [], {}),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value

const pointer = fc
  .array(fc.oneof(key, fc.constantFrom('0', '1', '2', '-', '01', 'x')), { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))

const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: json }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer }),
)

type Outcome = { readonly value: Json } | 'refused'

function outcome(run: () => Json): Outcome {
  try {
    return { value: run() }
  } catch {
    return 'refused'
  }
}

/** The generator creates objects without a prototype, which would not be equal to the results. */
function plain(result: Outcome): unknown {
  return JSON.parse(JSON.stringify(result))
}

/** The reference implementation changes its input and differs in removing or moving a whole document, which RFC 6902 does not define. */
function reference(document: Json, patch: readonly { readonly op: string; readonly path: string }[]): Outcome {
  return outcome(
    () =>
      fastJsonPatch.applyPatch(JSON.parse(JSON.stringify(document)), JSON.parse(JSON.stringify(patch)), true)
        .newDocument as Json,
  )
}

/** It accepts a path into a scalar and drops the value, and accepts any token as an array index. */
function beyondTheJudge(document: Json, path: string): boolean {
  let value: Json | undefined = document
  for (const token of parsePointer(path) ?? []) {
    if (typeof value !== 'object' || value === null) return value !== undefined
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*|-)$/.test(token)) return true
    value = Object.hasOwn(value, token) ? (value as JsonObject)[token] : undefined
  }
  return false
}

describe('JSON Patch', () => {
  it('has the results of another implementation for single operations', () => {
    fc.assert(
      fc.property(json, operation, (document, entry) => {
        const wholeDocument = entry.path === '' || ('from' in entry && entry.from === '')
        fc.pre(!wholeDocument || entry.op === 'test')
        // The reference implementation does not check the target of these operations.
        fc.pre(entry.op !== 'move' && entry.op !== 'copy')
        fc.pre(!beyondTheJudge(document, entry.path) && !('from' in entry && beyondTheJudge(document, entry.from)))
        const ours = outcome(() => applyJsonPatch(document, [entry as unknown as Json]))
        const theirs = reference(document, [entry])
        expect(plain(ours), JSON.stringify([document, entry])).toEqual(plain(theirs))
      }),
      { numRuns: 1500 },
    )
  })

  it('move is remove and add; copy is add', () => {
    fc.assert(
      fc.property(json, pointer, pointer, (document, from, path) => {
        fc.pre(from !== path && !path.startsWith(`${from}/`))
        const moved = outcome(() => applyJsonPatch(document, [{ op: 'move', from, path }]))
        const copied = outcome(() =>
          applyJsonPatch({ document }, [{ op: 'copy', from: `/document${from}`, path: '/value' }]),
        )
        const stepwise = outcome(() => {
          if (copied === 'refused') throw new Error('nothing there')
          const { value } = copied.value as { value: Json }
          return applyJsonPatch(document, [
            { op: 'remove', path: from },
            { op: 'add', path, value },
          ])
        })
        expect(plain(moved)).toEqual(plain(stepwise))
        const copy = outcome(() => applyJsonPatch(document, [{ op: 'copy', from, path }]))
        const addition = outcome(() => {
          if (copied === 'refused') throw new Error('nothing there')
          return applyJsonPatch(document, [{ op: 'add', path, value: (copied.value as { value: Json }).value }])
        })
        expect(plain(copy)).toEqual(plain(addition))
      }),
      { numRuns: 1000 },
    )
  })

  it('has the same result for all operations at once and one by one, and never changes its input', () => {
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 6 }), (document, patch) => {
        const before = JSON.stringify([document, patch])
        const together = outcome(() => applyJsonPatch(document, patch as unknown as Json))
        const stepwise = outcome(() =>
          patch.reduce<Json>((state, entry) => applyJsonPatch(state, [entry as unknown as Json]), document),
        )
        expect(together).toEqual(stepwise)
        expect(JSON.stringify([document, patch])).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('diff', () => {
  it('applied to the first document gives the second', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const patch = diff(a, b)
        const result = applyJsonPatch(a, patch as unknown as Json)
        expect(equal(result, b), JSON.stringify({ a, b, patch })).toBe(true)
        expect(JSON.stringify(patch).length).toBeLessThanOrEqual(
          Math.max(2, JSON.stringify([{ op: 'replace', path: '', value: b }]).length),
        )
        expect(diff(a, structuredClone(a))).toEqual([])
      }),
      { numRuns: 1500 },
    )
  })

  it('is minimal', () => {
    const pod = (image: string, ...names: string[]): Json => ({
      metadata: { name: 'web', labels: { app: 'web', tier: 'front' } },
      spec: { containers: names.map((name) => ({ name, image, args: ['--verbose', '--color=never'] })) },
    })
    expect(diff(pod('a:1', 'one', 'two'), pod('a:1', 'one', 'new', 'two'))).toEqual([
      {
        op: 'add',
        path: '/spec/containers/1',
        value: { name: 'new', image: 'a:1', args: ['--verbose', '--color=never'] },
      },
    ])
    expect(diff(pod('a:1', 'one', 'two', 'three'), pod('a:1', 'one', 'three'))).toEqual([
      { op: 'remove', path: '/spec/containers/1' },
    ])
    expect(diff(pod('a:1', 'one'), pod('a:2', 'one'))).toEqual([
      { op: 'replace', path: '/spec/containers/0/image', value: 'a:2' },
    ])
    expect(diff({ 'a/b': { '~': 1 } }, { 'a/b': { '~': 1, x: 2 } })).toEqual([{ op: 'add', path: '/a~1b/x', value: 2 }])
  })
})

describe('JSON Merge Patch', () => {
  it('has the results of the examples of RFC 7386', () => {
    const examples: readonly [Json, Json, Json][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, null],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    for (const [document, patch, expected] of examples) expect(applyMergePatch(document, patch)).toEqual(expected)
  })

  it('is idempotent and keeps untouched parts', () => {
    fc.assert(
      fc.property(json, json, (document, patch) => {
        const before = JSON.stringify([document, patch])
        const once = applyMergePatch(document, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
        expect(JSON.stringify([document, patch])).toBe(before)
      }),
      { numRuns: 500 },
    )
    const document = { a: { x: 1 }, b: { y: 2 } }
    const result = applyMergePatch(document, { a: { x: 2 } }) as typeof document
    expect(result.b).toBe(document.b)
    expect(applyMergePatch(document, { a: { x: 1 }, gone: null })).toBe(document)
  })
})

describe('hostile input', () => {
  const wild = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.oneof(fc.constantFrom<Json>(null, true, 0, -1, 1e300, '', 'l'), fc.string({ maxLength: 4 })),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          '__proto__',
          'constructor',
          'prototype',
          '$patch',
          '$retainKeys',
          '$setElementOrder/l',
          'l',
          'op',
          'path',
        ),
        tie('value'),
        { maxKeys: 3 },
      ),
    ),
  })).value
  const wildPath = fc.array(fc.constantFrom('__proto__', 'constructor', 'prototype', 'l', '0', '-', '~'), {
    maxLength: 3,
  })
  const wildOperation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', '__proto__'),
    path: wildPath.map((tokens) => tokens.map((token) => `/${token}`).join('')),
    from: wildPath.map((tokens) => tokens.map((token) => `/${token}`).join('')),
    value: wild,
  })
  const lookup = mergeTable({ l: { strategy: 'merge', mergeKey: '__proto__' } })

  it('is applied or rejected with a PatchError and never changes a prototype', () => {
    const prototypes = [Object.prototype, Array.prototype, Function.prototype] as object[]
    const before = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join())
    const refused = (run: () => unknown): void => {
      try {
        run()
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError)
      }
    }
    fc.assert(
      fc.property(wild, fc.array(wildOperation, { maxLength: 4 }), wild, (document, operations, patch) => {
        const text = JSON.parse(JSON.stringify(document)) as Json
        refused(() => applyJsonPatch(text, operations as unknown as Json))
        refused(() => applyJsonPatch(text, patch))
        refused(() => applyMergePatch(text, patch))
        if (isJsonObject(text)) refused(() => applyStrategicMergePatch(text, patch, lookup))
        refused(() => applyJsonPatch(text, diff(text, patch) as unknown as Json))
      }),
      { numRuns: 1000 },
    )
    expect(prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join())).toEqual(before)
  })

  it('is rejected when it is nested too deeply', () => {
    const deep = (levels: number): Json => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Json
    const refusals = [
      () => applyMergePatch(deep(20_000), deep(20_000)),
      () => applyStrategicMergePatch(deep(20_000) as JsonObject, deep(20_000), lookup),
      () => diff(deep(20_000), [1]) && diff(deep(20_000), deep(20_001)),
      () => applyJsonPatch(deep(20_000), [{ op: 'test', path: '', value: deep(20_000) }]),
    ]
    for (const run of refusals) expect(run).toThrow('nested deeper than 1000 levels')
  })
})
