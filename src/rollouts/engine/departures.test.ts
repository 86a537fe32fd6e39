import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Departures } from './departures.ts'

it('knows a pod that was deleted, and forgets it when every cache has shown it', async () => {
  const simulation = createSimulation(1)
  const departures = new Departures(simulation.runtime.clock)
  departures.note('first')
  expect([departures.has('first'), departures.has('other')]).toEqual([true, false])
  await simulation.advance(600_001)
  departures.note('second')
  expect([departures.has('first'), departures.has('second')]).toEqual([false, true])
})
