/** Rollouts with every fault at every write there is, and a thousand rollouts drawn from numbers. */
import { describe, it } from 'vitest'
import { expectChanceSound } from '../faults/rollout-chance.ts'
import { describeFaults, everyWrite } from '../faults/rollout-matrix.ts'
import { scenarios } from '../faults/rollout-scenarios.ts'

const only = process.env['CARABINER_ROLLOUT_NUMBER']
const numbers = only === undefined ? Array.from({ length: 1000 }, (_, index) => index + 1) : [Number(only)]

describe.skipIf(only !== undefined)('every fault', () => describeFaults(scenarios, everyWrite))

it(`keeps its promises whatever happens, ${numbers.length} numbers`, async () => {
  for (const number of numbers) await expectChanceSound(number)
})
