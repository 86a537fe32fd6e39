/**
 * Deployers and Landscaper controllers crash at any write, are replaced at once, or get no watch events for a while, and every item ends as
 * without faults: no final phase is lost, nothing is installed twice, no finalizer stays behind. Crashes are tested at every write, other
 * faults at fewer; the long tier tests all.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numbersFor, playNumber } from '../replay/numbers.ts'
import { disturbItems, itemFaults } from './deployer-matrix.ts'
import { scenarios } from './deployer-scenarios.ts'
import { playScenario } from './deployer-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`deployers: ${runs} runs with faults\n`))

describe.each(scenarios)('$name', (scenario) => {
  it.each(itemFaults)(
    '[deployers P9] ends the same with the fault %s at any write',
    async (how) => {
      runs += await disturbItems(scenario, how, how === 'restart' ? 1 : 4)
    },
    120_000,
  )

  // Only the leader reconciles executions, so two processes never do at once.
  if (scenario.isLed) return
  it('[deployers P10] ends the same with two processes at once', async () => {
    const single = await playScenario(scenario, 1)
    for (const number of numbersFor('deployers', [1, 2])) {
      await playNumber('deployers', number, async (seed) => {
        const both = await playScenario(scenario, seed, { engines: 2 })
        runs++
        expect({ seed, ...both.ending }).toEqual({ seed, ...single.ending })
      })
    }
  }, 60_000)
})
