import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../runtime/json.ts'
import { compareElements, elementText, fieldElement, keyElement, valueElement } from './element.ts'
import { FieldSet, pathText } from './field-set.ts'

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'spec', 'x.y/z').map(fieldElement),
  fc.constantFrom(1, 80, 443).map((port) => keyElement({ port, protocol: 'TCP' })),
  fc.constantFrom<Json>('v', 7, true).map(valueElement),
)
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
const sets = paths.map((list) => FieldSet.of(...list))

function members(set: FieldSet): Set<string> {
  return new Set(set.paths().map((path) => JSON.stringify(path)))
}

describe('FieldSet', () => {
  it('survives a round trip through fieldsV1', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(members(FieldSet.fromFieldsV1(set.toFieldsV1()))).toEqual(members(set))
      }),
    )
  })

  it('obeys the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [inA, inB] = [members(a), members(b)]
        expect(members(a.union(b))).toEqual(new Set([...inA, ...inB]))
        expect(members(a.intersection(b))).toEqual(new Set([...inA].filter((path) => inB.has(path))))
        expect(members(a.difference(b))).toEqual(new Set([...inA].filter((path) => !inB.has(path))))
      }),
    )
  })

  it('removes whole branches with recursiveDifference', () => {
    const set = FieldSet.of(['f:spec'], ['f:spec', 'f:a'], ['f:status', 'f:a'])
    expect(set.recursiveDifference(FieldSet.of(['f:spec'])).paths()).toEqual([['f:status', 'f:a']])
    expect(set.difference(FieldSet.of(['f:spec'])).hasPath(['f:spec', 'f:a'])).toBe(true)
  })

  it('marks a member that has members below it', () => {
    expect(FieldSet.of(['f:a'], ['f:a', 'f:b']).toFieldsV1()).toEqual({ 'f:a': { '.': {}, 'f:b': {} } })
    expect(FieldSet.of(['f:a', 'f:b']).toFieldsV1()).toEqual({ 'f:a': { 'f:b': {} } })
  })
})

describe('elements', () => {
  it('sort ports as numbers, and fields before keys before values', () => {
    const sorted = [valueElement('x'), keyElement({ port: 443 }), keyElement({ port: 80 }), fieldElement('z')]
    expect(sorted.sort(compareElements)).toEqual(['f:z', 'k:{"port":80}', 'k:{"port":443}', 'v:"x"'])
  })

  it('are formatted as in conflict messages', () => {
    expect(pathText(['f:spec', keyElement({ name: 'web', port: 80 }), valueElement('v')])).toBe(
      '.spec[name="web",port=80][="v"]',
    )
    expect(elementText('i:3')).toBe('[3]')
  })
})
