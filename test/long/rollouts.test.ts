/** Rollouts with engines that die at every write there is, and a thousand rollouts drawn from numbers. */
import { describe, expect, it } from 'vitest'
import { expectChanceSound } from '../faults/rollout-chance.ts'
import { disturbWrites } from '../faults/rollout-matrix.ts'
import { scenarios } from '../faults/rollout-scenarios.ts'

const only = process.env['CARABINER_ROLLOUT_NUMBER']
const numbers = only === undefined ? Array.from({ length: 1000 }, (_, index) => index + 1) : [Number(only)]

describe.skipIf(only !== undefined).each(scenarios)('$name', (scenario) => {
  it('ends the same wherever the engine died', async () => {
    expect(await disturbWrites(scenario, 1)).toBeGreaterThan(20)
  })
})

it(`keeps its promises whatever happens, ${numbers.length} numbers`, async () => {
  for (const number of numbers) await expectChanceSound(number)
})
