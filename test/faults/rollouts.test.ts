/**
 * The engine may die at any write, and may be deaf for a while: every rollout ends as if nothing had happened, and no hook runs twice.
 * A death at every third write, other faults at fewer; the long tier takes them all.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { faults } from '../../src/cli/rollout/simulation/engines.ts'
import { disturbRollout, expectSound } from './rollout-matrix.ts'
import { scenarios } from './rollout-scenarios.ts'
import { playScenario } from './rollout-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`rollouts: ${runs} runs with engines that died or were deaf\n`))

describe.each(scenarios)('$name', (scenario) => {
  it.each(faults)(
    '[rollouts W13] ends the same wherever the fault %s comes',
    async (fault) => {
      runs += await disturbRollout(scenario, fault, fault === 'restart' ? 3 : 13)
    },
    120_000,
  )
})

describe('two engines at once', () => {
  it.each(scenarios.filter(({ kind }) => kind === 'Deployment'))(
    '[rollouts W14] end $name as one does, and start no Job twice',
    async (scenario) => {
      const alone = await playScenario(scenario, 1)
      for (const seed of [1, 2, 3]) {
        const both = await playScenario(scenario, seed, { engines: 2 })
        runs++
        expectSound(scenario, both)
        const { created: _, ...ending } = both.ending
        expect({ ...ending, created: both.ending.created.length }).toEqual({
          ...alone.ending,
          created: alone.ending.created.length,
        })
      }
    },
    60_000,
  )
})
