/**
 * Rollouts of workloads that were deleted and created again. A rollout is of one workload, not of all that are ever called so: its pods, its
 * revisions and its hooks went with it.
 */
import type { Instant } from '../../runtime/clock.ts'
import { ended, historyWith, isActive } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

export function isOfAnother({ workload: seen }: Ledger, { metadata }: Workload): boolean {
  return seen !== undefined && seen.uid !== metadata.uid
}

/** What was aborted in a former life can be neither tried again nor taken back, and is no reason to hold this one; the history knows it. */
export function withoutFormer(world: World): World {
  const { policy, workload } = world
  const rollout = policy.status?.rollout
  const isOver = rollout?.phase === 'Aborted' && !isActive(rollout)
  if (!isOver || workload === undefined || !isOfAnother(rollout, workload)) return world
  // Not before it is known to be needed: a copy has the history read, and this is asked dozens of times in a rollout.
  const { rollout: _, ...status } = policy.status ?? {}
  return { ...world, policy: { ...policy, status } }
}

/** What was under way in a former life ended with it; of what it did to pods nothing is left. */
export function withFormerEnded(world: World, ledger: Ledger, historyLimit: number, now: Instant): World {
  const { policy } = world
  const { rollout: _, ...status } = policy.status ?? {}
  const history = historyWith(policy, ended(ledger, 'Cancelled', now, whyFormer(policy)), historyLimit)
  return { ...world, policy: { ...policy, status: { ...status, history } } }
}

export function whyFormer({ spec: { targetRef } }: RolloutPolicy): string {
  return `${targetRef.kind} ${targetRef.name} was deleted and created again`
}
