/** Rollouts drawn from numbers; the long tier draws more of them. */
import { itKeepsPromises } from './rollout-numbers.ts'

/** Each of them has found something once. */
const telling = [51, 132, 146, 225, 280, 319, 358, 481]

itKeepsPromises([...Array.from({ length: 50 }, (_, index) => index + 1), ...telling])
