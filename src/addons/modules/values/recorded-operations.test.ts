import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyJsonPatch } from '../../../patch/json-patch.ts'
import { parsePointer } from '../../../patch/pointer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'
import { type PlainOperation, type RecordedOperation, recordOperation, replay } from './recorded-operations.ts'

const key = fc.constantFrom('a', 'b', 'list')
const leaf = fc.constantFrom<Json>(1, 'x', null, [], {}, ['y'], { a: 1 }, { list: [1] })
const document = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)))
const path = fc
  .array(fc.oneof(key, fc.constantFrom('0', '1', '-')), { minLength: 1, maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(''))
const operation: fc.Arbitrary<PlainOperation> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), path, value: leaf }),
  fc.record({ op: fc.constant('remove' as const), path }),
)

/** Applies the operations that can be applied; refused hooks change nothing. */
function play(base: JsonObject, operations: readonly PlainOperation[]) {
  let values: Json = base
  let kept: readonly RecordedOperation[] = []
  let all: readonly RecordedOperation[] = []
  for (const one of operations) {
    try {
      const after: Json = applyJsonPatch(values, [one])
      all = [...all, ...lastOf(recordOperation([], one, values, after))]
      kept = recordOperation(kept, one, values, after)
      values = after
    } catch {
      // It cannot be applied.
    }
  }
  return { values, kept, all }
}

/** Without empty maps: an operation may create a map for a value that a later one removes. */
function pruned(value: Json): Json | undefined {
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, below]) => [name, pruned(below)] as const)
  const filled = members.filter(([, below]) => below !== undefined)
  return filled.length === 0 ? undefined : Object.fromEntries(filled as [string, Json][])
}

const lastOf = (kept: readonly RecordedOperation[]) => kept.slice(-1)

it('replaying recorded operations gives the same values', () => {
  fc.assert(
    fc.property(document, fc.array(operation, { maxLength: 12 }), (base, operations) => {
      const { values, kept } = play(base, operations)
      expect(replay(base, kept)).toEqual(values)
    }),
    { numRuns: 1000 },
  )
})

it('at most one operation per key is recorded, apart from operations on lists of other layers', () => {
  fc.assert(
    fc.property(document, fc.array(operation, { maxLength: 12 }), (base, operations) => {
      const paths = play(base, operations).kept.flatMap(({ list, tokens }) => (list === undefined ? [tokens] : []))
      expect(new Set(paths.map(String)).size).toBe(paths.length)
    }),
    { numRuns: 500 },
  )
})

it('recorded operations have the same effect on other values as all single operations', () => {
  const objects = fc
    .array(operation, { maxLength: 12 })
    .map((all) => all.filter(({ path: one }) => parsePointer(one)?.every((token) => !/^[0-9-]/.test(token))))
  fc.assert(
    fc.property(document, document, objects, (base, other, operations) => {
      const { kept, all } = play(base, operations)
      expect(pruned(replay(other, kept))).toEqual(pruned(replay(other, all)))
    }),
    { numRuns: 1000 },
  )
})
