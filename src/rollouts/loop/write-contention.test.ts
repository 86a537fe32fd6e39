import { expect, it } from 'vitest'
import { fingerprint, WriteContention } from './write-contention.ts'

it('does not back off while it is the only writer', () => {
  const contention = new WriteContention()
  expect(contention.backoffMs('web', 'a', 0)).toBe(0)
  contention.record('web', { found: 'a', written: 'b' }, 0)
  expect(contention.backoffMs('web', 'b', 0)).toBe(0)
  contention.record('web', { found: 'b', written: 'c' }, 0)
  expect(contention.backoffMs('web', 'c', 0)).toBe(0)
})

it('backs off exponentially while another engine overwrites its writes', () => {
  const contention = new WriteContention()
  const pauses: number[] = []
  let now = 0
  for (let round = 1; round <= 8; round++) {
    contention.record('web', { found: 'theirs', written: 'ours' }, now)
    const pause = contention.backoffMs('web', 'theirs', now)
    pauses.push(pause)
    now += pause
    expect(contention.backoffMs('web', 'theirs', now)).toBe(0)
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 1600, 1600, 1600])
  contention.record('web', { found: 'ours', written: 'ours' }, now)
  expect(contention.backoffMs('web', 'theirs', now)).toBe(100)
})

it('forgets a contest that is over', () => {
  const contention = new WriteContention()
  contention.record('web', { found: 'theirs', written: 'ours' }, 0)
  contention.record('web', { found: 'theirs', written: 'ours' }, 100)
  expect(contention.backoffMs('web', 'theirs', 100)).toBe(200)
  contention.record('other', { found: 'a', written: 'b' }, 60_000)
  contention.record('web', { found: 'theirs', written: 'ours' }, 60_000)
  expect(contention.backoffMs('web', 'theirs', 60_000)).toBe(100)
})

it('tells statuses apart by what engines may see differently', () => {
  const status = (message: string) => ({
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Finishing', message, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ] as const,
  })
  expect(fingerprint(status('waits for migrate'))).not.toBe(fingerprint(status('0 of 3 new pods are available')))
  expect(fingerprint({ ...status('waits'), gate: 'webhook' })).toBe(fingerprint(status('waits')))
  expect(fingerprint()).toBe(fingerprint({}))
})
