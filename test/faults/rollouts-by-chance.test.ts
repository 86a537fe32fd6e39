/** Rollouts drawn from numbers; the long tier draws more of them. */
import { itKeepsPromises } from './rollout-numbers.ts'

itKeepsPromises(Array.from({ length: 50 }, (_, index) => index + 1))
