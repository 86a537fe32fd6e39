import { describe, expect, it } from 'vitest'
import { createSeededRandom } from './seed.ts'

const draws = (seed: number, name: string): number[] => {
  const random = createSeededRandom(seed, name)
  return Array.from({ length: 5 }, () => random.next())
}

describe('createSeededRandom', () => {
  it('the same seed and name give the same numbers, other ones give others', () => {
    expect(draws(1, 'a')).toEqual(draws(1, 'a'))
    const firsts = [draws(1, 'a'), draws(2, 'a'), draws(1, 'b'), draws(1 + 2 ** 32, 'a'), draws(-1, 'a')].map(String)
    expect(new Set(firsts).size).toBe(firsts.length)
  })

  it('numbers are evenly distributed', () => {
    const random = createSeededRandom(42, 'spread')
    const buckets = new Array<number>(10).fill(0)
    for (let round = 0; round < 10_000; round++) {
      const bucket = Math.floor(random.next() * 10)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(150)
  })
})
