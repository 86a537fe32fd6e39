/** Two engines at work on the same rollouts, as when one of them does not know yet that it lost its lease. */
import { afterAll, describe, expect, it } from 'vitest'
import { numbersFor, playNumber } from '../replay/numbers.ts'
import { at, job } from '../sandbox/rollouts.ts'
import { expectSound, playPlain, withoutNames } from './rollout-disturb.ts'
import { scenarios } from './rollout-scenarios.ts'
import type { Scenario } from './rollout-user.ts'
import { playScenario } from './rollout-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`rollouts: ${runs} runs with two engines at once\n`))

describe('two engines at once', () => {
  it.each(scenarios.filter(({ kind }) => kind === 'Deployment'))(
    '[rollouts W14] end $name as one does, and start no Job twice',
    async (scenario) => {
      const { rest, outcome } = (await playPlain(scenario)).withPolicy
      for (const seed of numbersFor('two-engines', [1, 2, 3])) {
        await playNumber('two-engines', seed, async () => {
          const both = await playScenario(scenario, seed, { engines: 2, rest })
          runs++
          expectSound(scenario, both, `seed ${seed}`)
          expect(withoutNames(both)).toEqual(withoutNames(outcome))
        })
      }
    },
    60_000,
  )

  /** One that sees no pods and no Jobs counts otherwise, and tells so: at the end in the ledger, before it in the workload as well. */
  it.each(['100%', '75%'])(
    'do not write over each other without end while one of them is deaf, with a Job at %s',
    async (point) => {
      const scenario: Scenario = {
        name: `a Job at ${point}`,
        kind: 'Deployment',
        replicas: 4,
        spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
        policy: { lifecycleHooks: [{ name: 'tell', trigger: at(point), jobSpec: job() }] },
        async play(user) {
          await user.roll(2)
        },
      }
      const { rest, outcome } = (await playPlain(scenario)).withPolicy
      for (let write = 1; write <= outcome.writes; write++) {
        const crashes = [{ when: 'before', write, how: 'deaf-to-hooks' }] as const
        const both = await playScenario(scenario, 1, { engines: 2, rest, crashes })
        runs++
        expectSound(scenario, both, `write ${write}`)
        expect(withoutNames(both)).toEqual(withoutNames(outcome))
        expect(both.writes, `write ${write}`).toBeLessThan(outcome.writes + 80)
      }
    },
    60_000,
  )
})
