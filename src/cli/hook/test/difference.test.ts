import { describe, expect, it } from 'vitest'
import { difference, lineDifference } from './difference.ts'

describe('difference', () => {
  it('looks only at fields that were written down', () => {
    const there = { kind: 'ConfigMap', metadata: { name: 'a', uid: '1' }, data: { k: 'v' } }
    expect(difference({ kind: 'ConfigMap', metadata: { name: 'a' } }, there)).toEqual([])
  })

  it('shows what is missing, what is different and what is too much', () => {
    expect(difference({ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 9 }, e: 5 })).toEqual([
      '  a: 1',
      '  b:',
      '-   c: 2',
      '-   d: 3',
      '+   c: 9',
    ])
    expect(difference([{ hook: 'a' }], [{ hook: 'a' }, { hook: 'b' }])).toEqual(['  - hook: a', '+ - hook: b'])
  })

  it('wants lists as long as they are written', () => {
    expect(difference({ list: [1] }, { list: [1, 2] })).not.toEqual([])
    expect(difference([], [{ hook: 'b' }])).toEqual(['+ - hook: b'])
    expect(difference([{ hook: 'b' }], [])).toEqual(['- - hook: b'])
  })
})

it('keeps the lines that both have', () => {
  expect(lineDifference(['a', 'b', 'c'], ['b', 'x', 'c'])).toEqual(['- a', '  b', '+ x', '  c'])
})
