/** Rollouts with every fault at every write there is, and a thousand rollouts drawn from numbers. */
import { describe } from 'vitest'
import { describeFaults } from '../faults/rollout-matrix.ts'
import { itKeepsPromises } from '../faults/rollout-numbers.ts'

describe('every fault', () =>
  describeFaults({ restart: 1, takeover: 1, deaf: 1, 'deaf-to-hooks': 1, 'deaf-to-policies': 1 }, 1))

itKeepsPromises(Array.from({ length: 1000 }, (_, index) => index + 1))
