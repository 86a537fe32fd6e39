import { describe, expect, it } from 'vitest'
import { firstPageSize, nextPageSize } from './paging.ts'

const objects = (count: number, weight: number) => Array.from({ length: count }, () => 'x'.repeat(weight - 2))

describe('page sizes', () => {
  it('begin small, because the weight of the objects is unknown', () => {
    expect(firstPageSize(500)).toBe(50)
    expect(firstPageSize(20)).toBe(20)
  })

  it('grow to the largest for light objects', () => {
    expect(nextPageSize(objects(100, 1_000), 500, 100)).toBe(500)
  })

  it('keep a page of heavy objects at two million characters', () => {
    expect(nextPageSize(objects(100, 10_000), 500, 100)).toBe(200)
    expect(nextPageSize(objects(3, 5_000_000), 500, 100)).toBe(1)
  })

  it('count the heaviest of the objects weighed', () => {
    expect(nextPageSize([...objects(2, 10), ...objects(1, 20_000)], 500, 100)).toBe(100)
  })

  it('stay as they are after an empty page', () => {
    expect(nextPageSize([], 500, 100)).toBe(100)
  })
})
