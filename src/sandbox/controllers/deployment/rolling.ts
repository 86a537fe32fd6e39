/** One step of a rolling update: either the new ReplicaSet is scaled up or old ones are scaled down, never both. */
import type { ReplicaSet } from '../../../kube/kinds/index.ts'
import { maxUnavailable, newReplicaSetSize, replicasOf, sumOf } from './bounds.ts'
import type { Draft } from './draft.ts'
import { active, byCreation } from './replica-sets.ts'

const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0

export function scaleNewReplicaSet(draft: Draft, newReplicaSet: ReplicaSet): boolean {
  const desired = replicasOf(draft.deployment)
  const size = replicasOf(newReplicaSet)
  if (size === desired) return false
  if (size > desired) return draft.scale(newReplicaSet, desired)
  return draft.scale(newReplicaSet, newReplicaSetSize(draft.deployment, draft.replicaSets, size))
}

/**
 * Removes unavailable pods of old ReplicaSets first, because that does not reduce availability. Undefined when a status
 * counts more available pods than the spec: the status is older than the last scaling and the number is unknown.
 */
function removeUnhealthy(draft: Draft, old: readonly ReplicaSet[], maxScaledDown: number): number | undefined {
  let removed = 0
  for (const replicaSet of [...old].sort(byCreation)) {
    if (removed >= maxScaledDown) break
    const unhealthy = replicasOf(replicaSet) - availableOf(replicaSet)
    if (replicasOf(replicaSet) === 0 || unhealthy === 0) continue
    if (unhealthy < 0) return undefined
    const count = Math.min(maxScaledDown - removed, unhealthy)
    draft.scale(replicaSet, replicasOf(replicaSet) - count)
    removed += count
  }
  return removed
}

function removeHealthy(
  draft: Draft,
  old: readonly ReplicaSet[],
  newReplicaSet: ReplicaSet,
  minAvailable: number,
): number {
  const spare = sumOf([...old, newReplicaSet], availableOf) - minAvailable
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

export function scaleDownOldReplicaSets(
  draft: Draft,
  oldOnes: readonly ReplicaSet[],
  newReplicaSet: ReplicaSet,
): boolean {
  const old = active(oldOnes)
  if (old.length === 0) return false
  const minAvailable = replicasOf(draft.deployment) - maxUnavailable(draft.deployment)
  const newUnavailable = replicasOf(newReplicaSet) - availableOf(newReplicaSet)
  const maxScaledDown = sumOf(draft.replicaSets, replicasOf) - minAvailable - newUnavailable
  if (maxScaledDown <= 0) return false
  const unhealthy = removeUnhealthy(draft, old, maxScaledDown)
  if (unhealthy === undefined) return false
  const remaining = old.map((replicaSet) => draft.latest(replicaSet))
  return unhealthy + removeHealthy(draft, remaining, newReplicaSet, minAvailable) > 0
}
