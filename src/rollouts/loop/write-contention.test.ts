import { expect, it } from 'vitest'
import { Rivalry, told } from './write-contention.ts'

it('waits for nobody while it writes alone', () => {
  const rivalry = new Rivalry()
  expect(rivalry.pause('web', 'a', 0)).toBe(0)
  rivalry.wrote('web', 'a', 'b', 0)
  expect(rivalry.pause('web', 'b', 0)).toBe(0)
  rivalry.wrote('web', 'b', 'c', 0)
  expect(rivalry.pause('web', 'c', 0)).toBe(0)
})

it('waits longer every time that somebody else has written in between', () => {
  const rivalry = new Rivalry()
  const pauses: number[] = []
  let now = 0
  for (let round = 1; round <= 8; round++) {
    rivalry.wrote('web', 'theirs', 'ours', now)
    const pause = rivalry.pause('web', 'theirs', now)
    pauses.push(pause)
    now += pause
    expect(rivalry.pause('web', 'theirs', now)).toBe(0)
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 1600, 1600, 1600])
  rivalry.wrote('web', 'ours', 'ours', now)
  expect(rivalry.pause('web', 'theirs', now)).toBe(100)
})

it('forgets a contest that is over', () => {
  const rivalry = new Rivalry()
  rivalry.wrote('web', 'theirs', 'ours', 0)
  rivalry.wrote('web', 'theirs', 'ours', 100)
  expect(rivalry.pause('web', 'theirs', 100)).toBe(200)
  rivalry.wrote('other', 'a', 'b', 60_000)
  rivalry.wrote('web', 'theirs', 'ours', 60_000)
  expect(rivalry.pause('web', 'theirs', 60_000)).toBe(100)
})

it('tells statuses apart by what engines may see differently', () => {
  const status = (message: string) => ({
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Finishing', message, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ] as const,
  })
  expect(told(status('waits for migrate'))).not.toBe(told(status('0 of 3 new pods are available')))
  expect(told({ ...status('waits'), gate: 'webhook' })).toBe(told(status('waits')))
  expect(told()).toBe(told({}))
})
