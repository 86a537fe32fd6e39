/**
 * Deployers and the landscaper's side may die at any write, be replaced at once, or hear nothing for a while: every item ends as if nothing
 * had happened. No final phase is lost, nothing is installed twice, no finalizer stays behind. A death at every write, other faults at
 * fewer; the long tier takes them all.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numbersFor, playNumber } from '../replay/numbers.ts'
import { disturbItems, itemFaults } from './deployer-matrix.ts'
import { scenarios } from './deployer-scenarios.ts'
import { playScenario } from './deployer-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`deployers: ${runs} runs with processes that died or were deaf\n`))

describe.each(scenarios)('$name', (scenario) => {
  it.each(itemFaults)(
    '[deployers P9] ends the same wherever the fault %s comes',
    async (how) => {
      runs += await disturbItems(scenario, how, how === 'restart' ? 1 : 4)
    },
    120_000,
  )

  // Of what only a leader does there are never two at once.
  if (scenario.isLed) return
  it('[deployers P10] ends the same with two processes at once', async () => {
    const alone = await playScenario(scenario, 1)
    for (const number of numbersFor('deployers', [1, 2])) {
      await playNumber('deployers', number, async (seed) => {
        const both = await playScenario(scenario, seed, { engines: 2 })
        runs++
        expect({ seed, ...both.ending }).toEqual({ seed, ...alone.ending })
      })
    }
  }, 60_000)
})
