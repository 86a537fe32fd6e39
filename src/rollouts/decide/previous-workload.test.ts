import { expect, it } from 'vitest'
import type { World } from '../observe/world.ts'
import { ignoringPreviousWorkload } from './previous-workload.ts'

function worldOf(rollout: object, seen: () => void): World {
  const status = { rollout, gate: 'policies' }
  Object.defineProperty(status, 'history', { enumerable: true, get: seen })
  return { policy: { status }, workload: { metadata: { uid: 'new' } } } as unknown as World
}

it('does not have the history read for a rollout that is of this workload', () => {
  let reads = 0
  const world = worldOf({ phase: 'Progressing', workload: { uid: 'new', generation: 2 } }, () => reads++)
  expect([ignoringPreviousWorkload(world) === world, reads]).toEqual([true, 0])
})

it('keeps all but what was aborted in a former life', () => {
  const aborted = { phase: 'Aborted', endedAt: '2026-01-01T00:00:00Z', workload: { uid: 'old', generation: 2 } }
  const { policy } = ignoringPreviousWorkload(worldOf(aborted, () => undefined))
  expect(policy.status).toEqual({ gate: 'policies', history: undefined })
  expect(policy.status).not.toHaveProperty('rollout')
})
