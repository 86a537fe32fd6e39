/** The policy's status while a rollout is under way. */
import type { Instant } from '../../runtime/index.ts'
import type { Ledger, RolloutPolicyStatus } from '../policy/types.ts'
import type { RolloutScene } from './situation.ts'
import { statusWith } from './status.ts'

/** The reason of the condition is the phase of the rollout. */
export function rolloutStatus(
  { world, view: { now } }: RolloutScene,
  rollout: Ledger,
  message: string,
): RolloutPolicyStatus {
  return statusWith(world.policy, { state: 'reconciling', reason: rollout.phase, message }, { rollout }, now)
}

/** When to decide again although nothing changes: a pod becomes available, or the deadline passes. */
export function wakeUp({ progress }: RolloutScene, deadline: Instant = Infinity): { readonly wakeAt?: Instant } {
  const wakeAt = Math.min(progress.wakeAt ?? Infinity, deadline)
  return wakeAt === Infinity ? {} : { wakeAt }
}
