import { describe, expect, it } from 'vitest'
import { canonicalQuantity, compareQuantities } from './quantity.ts'

describe('canonicalQuantity', () => {
  it.each([
    ['0.5', '500m'],
    ['1500m', '1500m'],
    ['2000m', '2'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['1e3', '1e3'],
    ['100', '100'],
    ['0', '0'],
    ['-5m', '-5m'],
    ['1Ki', '1Ki'],
    ['512Ki', '512Ki'],
    ['0.1n', '1n'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected)
  })

  it('returns undefined for invalid quantities', () => {
    expect(canonicalQuantity('abc')).toBeUndefined()
    expect(canonicalQuantity('1 Gi')).toBeUndefined()
  })
})

describe('compareQuantities', () => {
  it('compares across suffixes', () => {
    expect(compareQuantities('1Gi', '1G')).toBe(1)
    expect(compareQuantities('500m', '0.5')).toBe(0)
  })
})
