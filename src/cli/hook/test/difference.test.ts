import { describe, expect, it } from 'vitest'
import { difference, lineDifference } from './difference.ts'

describe('difference', () => {
  it('compares only expected fields', () => {
    const there = { kind: 'ConfigMap', metadata: { name: 'a', uid: '1' }, data: { k: 'v' } }
    expect(difference({ kind: 'ConfigMap', metadata: { name: 'a' } }, there)).toEqual([])
  })

  it('shows missing, different and additional lines', () => {
    expect(difference({ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 9 }, e: 5 })).toEqual([
      '  a: 1',
      '  b:',
      '-   c: 2',
      '-   d: 3',
      '+   c: 9',
    ])
    expect(difference([{ hook: 'a' }], [{ hook: 'a' }, { hook: 'b' }])).toEqual(['  - hook: a', '+ - hook: b'])
  })

  it('lists must have the expected length', () => {
    expect(difference({ list: [1] }, { list: [1, 2] })).not.toEqual([])
    expect(difference([], [{ hook: 'b' }])).toEqual(['+ - hook: b'])
    expect(difference([{ hook: 'b' }], [])).toEqual(['- - hook: b'])
  })
})

it('keeps common lines', () => {
  expect(lineDifference(['a', 'b', 'c'], ['b', 'x', 'c'])).toEqual(['- a', '  b', '+ x', '  c'])
})
