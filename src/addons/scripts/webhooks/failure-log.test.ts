import { expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { FailureLog } from './failure-log.ts'

it('logs the same failure once a minute, and a different one at once', async () => {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  await simulation.run(async () => {
    const failureLog = new FailureLog(runtime)
    for (let second = 0; second <= 60; second++) {
      failureLog.error('not converted', { definition: 'boxes' })
      if (second === 30) failureLog.error('not converted', { definition: 'bags' })
      await runtime.clock.sleep(1000)
    }
  })
  expect(simulation.logs.map(({ fields }) => fields['definition'])).toEqual(['boxes', 'bags', 'boxes'])
})
