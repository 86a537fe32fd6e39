import { expect, it } from 'vitest'
import { labelValueOf } from './label-value.ts'

it('labelValueOf returns a short name unchanged', () => {
  expect(labelValueOf('a'.repeat(63))).toBe('a'.repeat(63))
})

it('labelValueOf shortens long names to distinct valid values', () => {
  const long = `${'a'.repeat(49)}.${'b'.repeat(20)}`
  expect(labelValueOf(long)).toMatch(/^a{49}-[0-9a-f]{12}$/)
  expect(labelValueOf(long)).not.toBe(labelValueOf(`${long}c`))
})
