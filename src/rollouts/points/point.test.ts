import { describe, expect, it } from 'vitest'
import { comparePoints, isBeyond, parsePoint, podsAt, showPoint } from './point.ts'

function point(written: number | string) {
  const parsed = parsePoint(written)
  if (parsed === undefined) throw new Error(`no point: ${written}`)
  return parsed
}

describe('points', () => {
  it('[rollouts E4] are numbers of pods or percentages', () => {
    expect(parsePoint(3)).toEqual({ unit: 'pods', amount: 3 })
    expect(parsePoint('3')).toEqual({ unit: 'pods', amount: 3 })
    expect(parsePoint('50%')).toEqual({ unit: 'percent', amount: 50 })
    for (const bad of ['101%', '-1', '1.5', 'half', '', '5 %']) expect(parsePoint(bad)).toBeUndefined()
    expect(showPoint(point('50%'))).toBe('50%')
  })

  it.each([
    ['50%', 3, 2],
    ['1%', 10, 1],
    ['50%', 1, 1],
    ['100%', 7, 7],
    ['0%', 7, 0],
    [0, 7, 0],
    [3, 10, 3],
    [12, 10, 10],
    ['50%', 0, 0],
  ])('[rollouts F2] %s of %i means %i', (written, replicas, pods) => {
    expect(podsAt(point(written), replicas)).toBe(pods)
  })

  it('[rollouts F3] keep their order where they round to the same number', () => {
    expect(comparePoints(point('10%'), point('20%'), 3)).toBeLessThan(0)
    expect(comparePoints(point('30%'), point(1), 3)).toBeLessThan(0)
    expect(comparePoints(point('50%'), point(1), 2)).toBe(0)
    expect(comparePoints(point(2), point('100%'), 2)).toBe(0)
  })

  it('end with the workload when they lie beyond it', () => {
    expect(isBeyond(point(12), 10)).toBe(true)
    expect(comparePoints(point(12), point('100%'), 10)).toBe(0)
    expect(isBeyond(point('100%'), 0)).toBe(false)
  })
})
