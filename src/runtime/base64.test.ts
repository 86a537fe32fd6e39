import { describe, expect, it } from 'vitest'
import { fromBase64, textFromBase64, textToBase64, toBase64 } from './base64.ts'

describe('base64', () => {
  it('encodes and decodes any bytes of any length', () => {
    expect(toBase64(Uint8Array.of(0, 255, 98))).toBe('AP9i')
    expect(fromBase64('AP9i')).toEqual(Uint8Array.of(0, 255, 98))
    expect(toBase64(new Uint8Array(3_000_000)).length).toBe(4_000_000)
    expect(fromBase64('A'.repeat(4_000_000)).length).toBe(3_000_000)
  })

  it('encodes and decodes any text', () => {
    expect(textToBase64('Főtanúsítvány €')).toBe('RsWRdGFuw7pzw610dsOhbnkg4oKs')
    expect(textFromBase64('RsWRdGFuw7pzw610dsOhbnkg4oKs')).toBe('Főtanúsítvány €')
  })

  it('ignores white space and rejects other characters', () => {
    expect(textFromBase64(' aGVs\nbG8= ')).toBe('hello')
    expect(() => fromBase64('no base64!')).toThrow()
  })
})
