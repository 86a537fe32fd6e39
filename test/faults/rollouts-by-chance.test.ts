/** Rollouts drawn from numbers; the long tier draws more of them. */
import { it } from 'vitest'
import { expectChanceSound } from './rollout-chance.ts'

it('keeps its promises whatever happens, fifty numbers', async () => {
  for (let number = 1; number <= 50; number++) await expectChanceSound(number)
}, 180_000)
