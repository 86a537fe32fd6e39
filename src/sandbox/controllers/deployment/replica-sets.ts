/** Finds and sorts the ReplicaSets of a Deployment. */
import type { Deployment, ReplicaSet } from '../../../kube/kinds/index.ts'
import { sameTemplate } from '../pods/template.ts'
import { revisionOf } from './annotations.ts'
import { replicasOf } from './bounds.ts'

export function byCreation(one: ReplicaSet, other: ReplicaSet): number {
  const times = [one.metadata.creationTimestamp ?? '', other.metadata.creationTimestamp ?? ''] as const
  if (times[0] !== times[1]) return times[0] < times[1] ? -1 : 1
  if (one.metadata.name === other.metadata.name) return 0
  return one.metadata.name < other.metadata.name ? -1 : 1
}

export function bySizeThenOlder(one: ReplicaSet, other: ReplicaSet): number {
  return replicasOf(other) - replicasOf(one) || byCreation(one, other)
}

export function bySizeThenNewer(one: ReplicaSet, other: ReplicaSet): number {
  return replicasOf(other) - replicasOf(one) || byCreation(other, one)
}

export function byRevision(one: ReplicaSet, other: ReplicaSet): number {
  const revisions = [revisionOf(one), revisionOf(other)] as const
  if (revisions[0] === undefined || revisions[1] === undefined || revisions[0] === revisions[1]) {
    return byCreation(one, other)
  }
  return revisions[0] - revisions[1]
}

/** The oldest ReplicaSet with the template of the Deployment. */
export function findNew(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...replicaSets]
    .sort(byCreation)
    .find((replicaSet) => sameTemplate(replicaSet.spec.template, deployment.spec.template))
}

export function active(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => replicasOf(replicaSet) > 0)
}

/** The only active ReplicaSet, or the latest if none is active; undefined when several are active or none exists. */
export function activeOrLatest(
  newReplicaSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const all = active(newReplicaSet === undefined ? old : [...old, newReplicaSet])
  if (all.length > 1) return undefined
  return all[0] ?? newReplicaSet ?? [...old].sort(byCreation).at(-1)
}
