/**
 * One step of a rolling update: either the new ReplicaSet grows, or old ones shrink, never both.
 */
import type { ReplicaSet } from '../../kinds/workload.ts'
import { maxUnavailable, newReplicaSetSize, replicasOf, sumOf } from './bounds.ts'
import type { Draft } from './draft.ts'
import { active, byCreation } from './find.ts'

const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0

export function growNew(draft: Draft, fresh: ReplicaSet): boolean {
  const desired = replicasOf(draft.deployment)
  const size = replicasOf(fresh)
  if (size === desired) return false
  if (size > desired) return draft.scale(fresh, desired)
  return draft.scale(fresh, newReplicaSetSize(draft.deployment, draft.replicaSets, size))
}

/**
 * Pods of old ReplicaSets that are not available go first: they serve nobody. Undefined when a status tells of more available pods than there
 * shall be: it is older than the last size, and nobody knows how many are left.
 */
function removeUnhealthy(draft: Draft, old: readonly ReplicaSet[], most: number): number | undefined {
  let removed = 0
  for (const replicaSet of [...old].sort(byCreation)) {
    if (removed >= most) break
    const unhealthy = replicasOf(replicaSet) - availableOf(replicaSet)
    if (replicasOf(replicaSet) === 0 || unhealthy === 0) continue
    if (unhealthy < 0) return undefined
    const count = Math.min(most - removed, unhealthy)
    draft.scale(replicaSet, replicasOf(replicaSet) - count)
    removed += count
  }
  return removed
}

function removeHealthy(draft: Draft, old: readonly ReplicaSet[], fresh: ReplicaSet, least: number): number {
  const spare = sumOf([...old, fresh], availableOf) - least
  let removed = 0
  for (const replicaSet of [...old].sort(byCreation)) {
    if (removed >= spare) break
    const size = replicasOf(replicaSet)
    if (size === 0) continue
    const count = Math.min(size, spare - removed)
    draft.scale(replicaSet, size - count)
    removed += count
  }
  return removed
}

export function shrinkOld(draft: Draft, oldOnes: readonly ReplicaSet[], fresh: ReplicaSet): boolean {
  const old = active(oldOnes)
  if (old.length === 0) return false
  const least = replicasOf(draft.deployment) - maxUnavailable(draft.deployment)
  const newUnavailable = replicasOf(fresh) - availableOf(fresh)
  const most = sumOf(draft.replicaSets, replicasOf) - least - newUnavailable
  if (most <= 0) return false
  const unhealthy = removeUnhealthy(draft, old, most)
  if (unhealthy === undefined) return false
  const remaining = old.map((replicaSet) => draft.latest(replicaSet))
  return unhealthy + removeHealthy(draft, remaining, fresh, least) > 0
}
