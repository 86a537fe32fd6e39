/** Rollouts with every fault at every write there is, and a thousand rollouts drawn from numbers. */
import { describe, it } from 'vitest'
import { expectChanceSound } from '../faults/rollout-chance.ts'
import { describeFaults } from '../faults/rollout-matrix.ts'

const only = process.env['CARABINER_ROLLOUT_NUMBER']
const numbers = only === undefined ? Array.from({ length: 1000 }, (_, index) => index + 1) : [Number(only)]

describe.skipIf(only !== undefined)('every fault', () =>
  describeFaults({ restart: 1, takeover: 1, deaf: 1, 'deaf-to-hooks': 1, 'deaf-to-policies': 1 }),
)

it(`keeps its promises whatever happens, ${numbers.length} numbers`, async () => {
  for (const number of numbers) await expectChanceSound(number)
})
