import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inEvent, inList, inObject, type Place, withoutManagedFields } from './strip.ts'

const managedFields = [{ manager: 'a "quoted" [name', fieldsV1: { 'f:a': { '.': {}, 'f:\\': {} } } }, []]

function textWithout(text: string, place: Place): string {
  const pieces = withoutManagedFields(new TextEncoder().encode(text), place)
  return pieces.map((piece) => new TextDecoder('utf-8', { fatal: true }).decode(piece)).join('')
}

const stripped = (value: unknown, place: Place): unknown => JSON.parse(textWithout(JSON.stringify(value), place))

describe('withoutManagedFields', () => {
  it.each([
    ['the only field', { managedFields }, {}],
    ['the first', { managedFields, name: 'a' }, { name: 'a' }],
    ['the last', { name: 'a', managedFields }, { name: 'a' }],
    ['in the middle', { name: 'a', managedFields, uid: 'u' }, { name: 'a', uid: 'u' }],
    ['absent', { name: 'a' }, { name: 'a' }],
    ['empty', { name: 'a', managedFields: [] }, { name: 'a' }],
  ])('takes the field out when it is %s', (_, metadata, expected) => {
    const object = (own: object) => ({ kind: 'Pod', metadata: own, spec: { a: [1, '}]'] } })
    expect(stripped(object(metadata), inObject)).toEqual(object(expected))
    const event = (own: object) => ({ type: 'ADDED', object: object(own) })
    expect(stripped(event(metadata), inEvent)).toEqual(event(expected))
    const list = (own: object) => ({ kind: 'PodList', metadata: { continue: '' }, items: [object(own), object(own)] })
    expect(stripped(list(metadata), inList)).toEqual(list(expected))
  })

  it('keeps fields of the same name elsewhere', () => {
    const inner = { metadata: { name: 'inner', managedFields } }
    const strange = { 'x\\"managedFields': [1], text: ',"managedFields":[1]', managedFields: [2] }
    const object = (own: object) => ({ data: inner, metadata: own, spec: { template: inner, strange } })
    expect(stripped(object({ annotations: strange, managedFields }), inObject)).toEqual(
      object({ annotations: strange }),
    )
    expect(stripped(object({ name: 'a' }), inObject)).toEqual(object({ name: 'a' }))
  })

  it('does not change text that is not compact', () => {
    const text = JSON.stringify({ metadata: { managedFields } }, undefined, 1)
    expect(textWithout(text, inObject)).toBe(text)
  })

  it('removes only the field, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (spec, metadata) => {
        const { managedFields: _, ...own } = metadata
        const bare = { spec, metadata: own, status: spec }
        const full = { spec, metadata: { ...own, managedFields }, status: spec }
        expect(textWithout(JSON.stringify(full), inObject)).toBe(JSON.stringify(bare))
      }),
    )
  })
})
