import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  it('ignores the order of keys but not of list items', () => {
    expect(canonicalJson({ b: [1, { y: 2, x: null }], a: 'é"' })).toBe('{"a":"é\\"","b":[1,{"x":null,"y":2}]}')
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1, c: undefined }))
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
  })
})
