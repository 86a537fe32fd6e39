/**
 * Rollouts of workloads that were deleted and created again. A rollout is of one workload, not of all that are ever called so: its pods, its
 * revisions and its hooks went with it.
 */
import type { Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { isActive } from './ledger.ts'
import type { World } from './world.ts'

export function isOfAnother({ workload: seen }: Ledger, { metadata }: Workload): boolean {
  return seen !== undefined && seen.uid !== metadata.uid
}

/** What was aborted in a former life can be neither tried again nor taken back, and is no reason to hold this one; the history knows it. */
export function withoutFormer(world: World): World {
  const { policy, workload } = world
  const { rollout, ...status } = policy.status ?? {}
  const isOver = rollout?.phase === 'Aborted' && !isActive(rollout)
  if (!isOver || workload === undefined || !isOfAnother(rollout, workload)) return world
  return { ...world, policy: { ...policy, status } }
}
