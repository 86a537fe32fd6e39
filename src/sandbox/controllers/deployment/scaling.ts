/** Scaling outside of a rollout step: paused Deployments and changes of `replicas`, distributed proportionally. */
import type { Deployment, ReplicaSet } from '../../../kube/kinds/index.ts'
import { desiredReplicasAnnotation, sizeAnnotation } from './annotations.ts'
import { isRolling, maxSurge, noLimit, proportion, replicasOf, sumOf } from './bounds.ts'
import type { Draft } from './draft.ts'
import type { NewAndOldReplicaSets } from './new-replica-set.ts'
import { active, activeOrLatest, byRevision, bySizeThenNewer, bySizeThenOlder } from './replica-sets.ts'

/** Whether an active ReplicaSet was scaled for another number of replicas. */
export function isScalingEvent(draft: Draft): boolean {
  const desired = replicasOf(draft.deployment)
  return active(draft.replicaSets).some((replicaSet) => {
    const sizedFor = sizeAnnotation(replicaSet, desiredReplicasAnnotation)
    return sizedFor !== undefined && sizedFor !== desired
  })
}

function isSaturated(deployment: Deployment, newReplicaSet: ReplicaSet | undefined): boolean {
  const desired = replicasOf(deployment)
  return (
    newReplicaSet !== undefined &&
    replicasOf(newReplicaSet) === desired &&
    sizeAnnotation(newReplicaSet, desiredReplicasAnnotation) === desired &&
    (newReplicaSet.status?.availableReplicas ?? 0) === desired
  )
}

function scaleInProportion(draft: Draft, { newReplicaSet, old }: NewAndOldReplicaSets): void {
  const { deployment } = draft
  const desired = replicasOf(deployment)
  const all = active(newReplicaSet === undefined ? old : [...old, newReplicaSet])
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0
  const toAdd = allowed - sumOf(all, replicasOf)
  if (toAdd > 0) all.sort(bySizeThenNewer)
  else if (toAdd < 0) all.sort(bySizeThenOlder)
  let added = 0
  const sizes = all.map((replicaSet) => {
    const share = proportion(replicaSet, deployment, toAdd, added)
    added += share
    return replicasOf(replicaSet) + share
  })
  for (const [index, replicaSet] of all.entries()) {
    const size = sizes[index] ?? 0
    // The largest ReplicaSet gets the remainder of rounding.
    draft.scale(replicaSet, index === 0 && toAdd !== 0 ? Math.max(0, size + toAdd - added) : size, true)
  }
}

export function scaleAll(draft: Draft, replicaSets: NewAndOldReplicaSets): void {
  const { newReplicaSet, old } = replicaSets
  const single = activeOrLatest(newReplicaSet, old)
  if (single !== undefined) {
    draft.scale(single, replicasOf(draft.deployment))
  } else if (isSaturated(draft.deployment, newReplicaSet)) {
    for (const replicaSet of active(old)) draft.scale(replicaSet, 0)
  } else if (isRolling(draft.deployment)) {
    scaleInProportion(draft, replicaSets)
  }
}

/** Deletes the oldest empty ReplicaSets beyond the history limit. */
export function pruneHistory(draft: Draft, old: readonly ReplicaSet[]): void {
  const limit = draft.deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === noLimit) return
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byRevision)
  for (const replicaSet of alive.slice(0, Math.max(0, alive.length - limit))) {
    const { metadata, status } = replicaSet
    const observed = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
    if ((status?.replicas ?? 0) === 0 && replicasOf(replicaSet) === 0 && observed) draft.remove(replicaSet)
  }
}
