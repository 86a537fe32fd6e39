import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { RecentActions } from './recent-actions.ts'

it('knows a pod that was deleted, and forgets it when every cache has shown it', async () => {
  const simulation = createSimulation(1)
  const recent = new RecentActions(simulation.runtime.clock)
  recent.deleted('first')
  expect([recent.hasDeleted('first'), recent.hasDeleted('other')]).toEqual([true, false])
  await simulation.advance(600_001)
  recent.deleted('second')
  expect([recent.hasDeleted('first'), recent.hasDeleted('second')]).toEqual([false, true])
})
