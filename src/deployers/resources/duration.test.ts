import { describe, expect, it } from 'vitest'
import { readDuration, writeDuration } from './duration.ts'

describe('durations of the Landscaper resources [deployers W10]', () => {
  it.each([
    ['none', 0],
    ['0s', 0],
    ['0', 0],
    ['10s', 10_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
    ['10m0s', 600_000],
    ['-1s', undefined],
    ['10', undefined],
    ['soon', undefined],
    ['None', undefined],
  ])('reads %s as %s milliseconds', (text, milliseconds) => {
    expect(readDuration(text)).toBe(milliseconds)
  })

  it.each([
    [0, 'none'],
    [300, '300ms'],
    [10_000, '10s'],
    [600_000, '10m0s'],
    [5_400_000, '1h30m0s'],
    [1_500, '1.5s'],
  ])('writes %s milliseconds as %s', (milliseconds, text) => {
    expect(writeDuration(milliseconds)).toBe(text)
    expect(readDuration(text)).toBe(milliseconds)
  })
})
