import { expect, it } from 'vitest'
import { age, span } from './span.ts'

it.each([
  [0, '0 s'],
  [1540, '1.5 s'],
  [59_400, '59 s'],
  [90_000, '1 min 30 s'],
  [3_725_000, '1 h 2 min'],
])('%d ms is %s', (milliseconds, text) => expect(span(milliseconds)).toBe(text))

it.each([
  [61_000, '61s'],
  [130_000, '2m'],
  [3 * 3_600_000, '3h'],
  [72 * 3_600_000, '3d'],
])('%d ms ago is %s', (milliseconds, text) => expect(age(milliseconds)).toBe(text))
