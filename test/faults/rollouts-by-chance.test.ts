/** Rollouts drawn from numbers, and those of the many in the long tier that have found something; it draws all of them. */
import { itKeepsPromises } from './rollout-numbers.ts'

/** Engines that wrote over each other for ever, a hook that ran twice, more new pods than a point allows. */
const telling = [225, 535, 720, 855, 893, 913]

itKeepsPromises([...Array.from({ length: 50 }, (_, index) => index + 1), ...telling])
