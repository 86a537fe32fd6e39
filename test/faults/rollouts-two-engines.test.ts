/** Two engines at work on the same rollouts, as when one of them does not know yet that it lost its lease. */
import { afterAll, describe, expect, it } from 'vitest'
import { expectSound, playPlain, withoutNames } from './rollout-disturb.ts'
import { scenarios } from './rollout-scenarios.ts'
import { playScenario } from './rollout-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`rollouts: ${runs} runs with two engines at once\n`))

describe('two engines at once', () => {
  it.each(scenarios.filter(({ kind }) => kind === 'Deployment'))(
    '[rollouts W14] end $name as one does, and start no Job twice',
    async (scenario) => {
      const { rest, outcome } = (await playPlain(scenario)).withPolicy
      for (const seed of [1, 2, 3]) {
        const both = await playScenario(scenario, seed, { engines: 2, rest })
        runs++
        expectSound(scenario, both, `seed ${seed}`)
        expect(withoutNames(both)).toEqual(withoutNames(outcome))
      }
    },
    60_000,
  )
})
