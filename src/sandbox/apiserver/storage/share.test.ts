import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../runtime/json.ts'
import { equal, share } from './share.ts'

describe('sharing', () => {
  it('returns the previous value when nothing changed', () => {
    const previous = { a: [1, { b: 'c' }], d: null }
    expect(share(previous, structuredClone(previous))).toBe(previous)
    expect(equal(previous, structuredClone(previous))).toBe(true)
  })

  it('reuses equal parts and takes the rest from the new value', () => {
    const previous = { spec: { list: [{ x: 1 }, { x: 2 }] }, status: { n: 1 } }
    const next = share(previous, { spec: { list: [{ x: 1 }, { x: 3 }] }, status: { n: 1 } })
    expect(next).toEqual({ spec: { list: [{ x: 1 }, { x: 3 }] }, status: { n: 1 } })
    expect(next.status).toBe(previous.status)
    expect(next.spec.list[0]).toBe(previous.spec.list[0])
  })

  it('distinguishes missing members from null', () => {
    expect(equal({ a: null }, {})).toBe(false)
    expect(equal({ a: 1 }, { b: 1 })).toBe(false)
    expect(equal([1, 2], [1])).toBe(false)
    expect(equal({}, [])).toBe(false)
  })

  it('treats __proto__ as an ordinary member', () => {
    const next = JSON.parse('{"__proto__":{"x":1},"a":1}') as Json
    expect(JSON.stringify(share({ a: 1 }, next))).toBe('{"__proto__":{"x":1},"a":1}')
  })

  it('returns a value equal to the new one', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>
    fc.assert(
      fc.property(json, json, (previous, next) => {
        const before = JSON.stringify(previous)
        expect(share(previous, next)).toEqual(next)
        expect(JSON.stringify(previous)).toBe(before)
      }),
    )
  })
})
