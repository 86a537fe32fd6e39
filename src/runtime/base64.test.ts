import { describe, expect, it } from 'vitest'
import { toBase64 } from './base64.ts'

describe('toBase64', () => {
  it('takes any bytes, and many of them', () => {
    expect(toBase64(Uint8Array.of(0, 255, 98))).toBe('AP9i')
    expect(toBase64(new Uint8Array(3_000_000)).length).toBe(4_000_000)
  })
})
