/** maxSurge and maxUnavailable of a Deployment, and the proportional distribution of replicas over ReplicaSets. */

import type { Deployment, ReplicaSet } from '../../../kube/kinds/index.ts'
import { roundHalfAway, scaledAmount } from '../../kinds/amount.ts'
import { maxReplicasAnnotation, sizeAnnotation } from './annotations.ts'

export const noLimit = 2147483647

export function replicasOf(object: Deployment | ReplicaSet): number {
  return object.spec.replicas ?? 1
}

export function isRolling(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type !== 'Recreate'
}

function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const rolling = deployment.spec.strategy?.rollingUpdate
  const desired = replicasOf(deployment)
  const surge = scaledAmount(rolling?.maxSurge, desired, 'up')
  const unavailable = scaledAmount(rolling?.maxUnavailable, desired, 'down')
  // If both round to 0 the rollout cannot progress, so Kubernetes allows one unavailable pod.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0
}

export function maxUnavailable(deployment: Deployment): number {
  const desired = replicasOf(deployment)
  if (!isRolling(deployment) || desired === 0) return 0
  return Math.min(fenceposts(deployment).unavailable, desired)
}

export function sumOf(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0)
}

/** The allowed size of the new ReplicaSet within replicas + maxSurge. */
export function newReplicaSetSize(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const desired = replicasOf(deployment)
  if (!isRolling(deployment)) return desired
  const most = desired + scaledAmount(deployment.spec.strategy?.rollingUpdate?.maxSurge, desired, 'up')
  const total = sumOf(all, replicasOf)
  if (total >= most) return current
  return current + Math.min(most - total, desired - current)
}

function fraction(replicaSet: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(replicaSet)
  if (replicasOf(deployment) === 0) return -size
  const before = sizeAnnotation(replicaSet, maxReplicasAnnotation) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  const most = replicasOf(deployment) + maxSurge(deployment)
  return roundHalfAway((size * most) / before) - size
}

/** This ReplicaSet's share of `toAdd` (negative: to remove), of which `added` is already distributed. */
export function proportion(replicaSet: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (replicasOf(replicaSet) === 0 || toAdd === 0 || toAdd === added) return 0
  const share = fraction(replicaSet, deployment)
  const allowed = toAdd - added
  return toAdd > 0 ? Math.min(share, allowed) : Math.max(share, allowed)
}
