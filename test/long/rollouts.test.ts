/** Rollouts with every fault at every write there is, and a thousand rollouts drawn from numbers. */
import { afterAll, describe, it } from 'vitest'
import { faults } from '../../src/cli/rollout/simulation/engines.ts'
import { expectChanceSound } from '../faults/rollout-chance.ts'
import { disturbRollout } from '../faults/rollout-matrix.ts'
import { scenarios } from '../faults/rollout-scenarios.ts'

const only = process.env['CARABINER_ROLLOUT_NUMBER']
const numbers = only === undefined ? Array.from({ length: 1000 }, (_, index) => index + 1) : [Number(only)]

let runs = 0
afterAll(() => void process.stdout.write(`rollouts: ${runs} runs with engines that died or were deaf\n`))

describe.skipIf(only !== undefined).each(scenarios)('$name', (scenario) => {
  it.each(faults)('ends the same wherever the fault %s comes', async (fault) => {
    runs += await disturbRollout(scenario, fault, 1)
  })
})

it(`keeps its promises whatever happens, ${numbers.length} numbers`, async () => {
  for (const number of numbers) await expectChanceSound(number)
})
