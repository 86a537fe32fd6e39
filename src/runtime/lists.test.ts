import { describe, expect, it } from 'vitest'
import { append, largest, smallest } from './lists.ts'

/** More than V8 takes as arguments of a call. */
const many = Array.from({ length: 200_000 }, (_, index) => index)

describe('lists of any length', () => {
  it('are appended in order', () => {
    const list = ['first']
    append(list, many.map(String), ['last'])
    expect([list.length, list[0], list[1], list.at(-2), list.at(-1)]).toEqual([200_002, 'first', '0', '199999', 'last'])
  })

  it('have a largest and a smallest number', () => {
    expect([largest(many), smallest(many)]).toEqual([199_999, 0])
    expect([largest([]), smallest([])]).toEqual([Math.max(), Math.min()])
  })
})
