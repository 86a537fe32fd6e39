/**
 * The engine may die at any write, and may be deaf for a while: every rollout ends as if nothing had happened, and no hook runs twice. Deaths
 * and a cache that is behind come at every write, before and after it, where they do not meet the very same as the one before; caches of
 * which one part is behind at fewer writes. The long tier takes all, each from the beginning.
 */
import { describeFaults } from './rollout-matrix.ts'

describeFaults({ restart: 1, takeover: 1, deaf: 1, 'deaf-to-hooks': 13, 'deaf-to-policies': 13 }, 8)
