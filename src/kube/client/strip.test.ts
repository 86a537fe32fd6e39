import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutManagedFields } from './strip.ts'

const managedFields = [{ manager: 'a "quoted" [name', fieldsV1: { 'f:a': { '.': {}, 'f:\\': {} } } }, []]

function stripped(value: unknown, depth: number): unknown {
  return JSON.parse(withoutManagedFields(JSON.stringify(value), depth))
}

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
    expect(stripped(object(metadata), 2)).toEqual(object(expected))
    const event = (own: object) => ({ type: 'ADDED', object: object(own) })
    expect(stripped(event(metadata), 3)).toEqual(event(expected))
    const list = (own: object) => ({ kind: 'PodList', metadata: { continue: '' }, items: [object(own), object(own)] })
    expect(stripped(list(metadata), 4)).toEqual(list(expected))
  })

  it('leaves the same name elsewhere alone', () => {
    const inner = { metadata: { name: 'inner', managedFields } }
    const strange = { 'x\\"managedFields': [1], text: ',"managedFields":[1]', managedFields: [2] }
    const object = (own: object) => ({ data: inner, metadata: own, spec: { template: inner, strange } })
    expect(stripped(object({ annotations: strange, managedFields }), 2)).toEqual(object({ annotations: strange }))
    expect(stripped(object({ name: 'a' }), 2)).toEqual(object({ name: 'a' }))
  })

  it('leaves text alone that is not compact', () => {
    const text = JSON.stringify({ metadata: { managedFields } }, undefined, 1)
    expect(withoutManagedFields(text, 2)).toBe(text)
  })

  it('changes nothing but the field, whatever is around it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (spec, metadata) => {
        const { managedFields: _, ...own } = metadata
        const bare = { spec, metadata: own, status: spec }
        const full = { spec, metadata: { ...own, managedFields }, status: spec }
        expect(withoutManagedFields(JSON.stringify(full), 2)).toBe(JSON.stringify(bare))
      }),
    )
  })
})
