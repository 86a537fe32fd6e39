import { describe, expect, it } from 'vitest'
import { isBefore } from './version.ts'

describe('isBefore', () => {
  it('compares numbers of any length', () => {
    expect(isBefore('9', '10')).toBe(true)
    expect(isBefore('10', '9')).toBe(false)
    expect(isBefore('10', '10')).toBe(false)
    expect(isBefore('9007199254740992', '9007199254740993')).toBe(true)
  })

  it('is false when a version is not a number', () => {
    expect(isBefore('', '10')).toBe(false)
    expect(isBefore('abc', '10')).toBe(false)
    expect(isBefore('10', 'x')).toBe(false)
  })
})
