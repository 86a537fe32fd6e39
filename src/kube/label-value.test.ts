import { expect, it } from 'vitest'
import { labelValueOf } from './label-value.ts'

it('is the name where that is short enough', () => {
  expect(labelValueOf('a'.repeat(63))).toBe('a'.repeat(63))
})

it('is a name that a label can hold, another one for each long name', () => {
  const long = `${'a'.repeat(49)}.${'b'.repeat(20)}`
  expect(labelValueOf(long)).toMatch(/^a{49}-[0-9a-f]{12}$/)
  expect(labelValueOf(long)).not.toBe(labelValueOf(`${long}c`))
})
