import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Deeds } from './recent-actions.ts'

it('knows a pod that was deleted, and forgets it when every cache has shown it', async () => {
  const simulation = createSimulation(1)
  const deeds = new Deeds(simulation.runtime.clock)
  deeds.deleted('first')
  expect([deeds.hasDeleted('first'), deeds.hasDeleted('other')]).toEqual([true, false])
  await simulation.advance(600_001)
  deeds.deleted('second')
  expect([deeds.hasDeleted('first'), deeds.hasDeleted('second')]).toEqual([false, true])
})
