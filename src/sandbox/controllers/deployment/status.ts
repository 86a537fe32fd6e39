/** The status of a Deployment: counts, availability, progress deadline. */

import type { Condition, Deployment, DeploymentStatus, ReplicaSet } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'
import { conditionOf, withCondition, withoutCondition } from '../conditions/conditions.ts'
import { withoutZeros } from '../replicaset/decide.ts'
import { maxUnavailable, replicasOf, sumOf } from './bounds.ts'
import { type Draft, hasDeadline, progressing } from './draft.ts'

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const desired = replicasOf(deployment)
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0)
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

function hasTimedOut(deployment: Deployment, status: DeploymentStatus, now: Instant): boolean {
  const condition = conditionOf(status.conditions, progressing)
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false
  if (condition.reason === 'ProgressDeadlineExceeded') return true
  const since = instantOf(condition.lastUpdateTime) ?? now
  return since + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 < now
}

function terminatingOf(all: readonly ReplicaSet[]): { terminatingReplicas?: number } {
  let sum = 0
  for (const { status } of all) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas
    else if (status?.observedGeneration) return {}
  }
  return { terminatingReplicas: sum }
}

/** Counts and the Available condition; other conditions are unchanged. */
export function countedStatus(draft: Draft, newReplicaSet: ReplicaSet | undefined): DeploymentStatus {
  const { deployment, replicaSets: all } = draft
  const available = sumOf(all, ({ status }) => status?.availableReplicas ?? 0)
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment)
  const condition = enough
    ? draft.makeCondition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
    : draft.makeCondition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
      )
  const { collisionCount, conditions } = deployment.status ?? {}
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...withoutZeros({
      replicas: sumOf(all, ({ status }) => status?.replicas ?? 0),
      updatedReplicas: newReplicaSet?.status?.replicas ?? 0,
      readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - available),
    }),
    ...terminatingOf(all),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, condition),
  }
}

function replicaFailure(all: readonly ReplicaSet[], newReplicaSet: ReplicaSet | undefined): Condition | undefined {
  for (const replicaSet of newReplicaSet === undefined ? all : [newReplicaSet, ...all]) {
    const found = conditionOf(replicaSet.status?.conditions, 'ReplicaFailure')
    if (found === undefined) continue
    const time = found.lastTransitionTime
    return time === undefined ? found : { ...found, lastUpdateTime: time }
  }
  return undefined
}

function progressConditions(
  draft: Draft,
  newReplicaSet: ReplicaSet | undefined,
  status: DeploymentStatus,
): readonly Condition[] {
  const { deployment } = draft
  const conditions = status.conditions ?? []
  if (!hasDeadline(deployment)) return withoutCondition(conditions, progressing)
  const current = conditionOf(deployment.status?.conditions, progressing)
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable'
  if (settled) return conditions
  const subject =
    newReplicaSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newReplicaSet.metadata.name}"`
  if (isComplete(deployment, status)) {
    return withCondition(
      conditions,
      draft.makeCondition(progressing, 'True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`),
    )
  }
  if (isProgressing(deployment.status ?? {}, status)) {
    const next = draft.makeCondition(progressing, 'True', 'ReplicaSetUpdated', `${subject} is progressing.`)
    if (current === undefined) return withCondition(conditions, next)
    // Replaced even if status and reason are unchanged, because the deadline starts at lastUpdateTime.
    const kept =
      current.status === 'True' && current.lastTransitionTime !== undefined
        ? { ...next, lastTransitionTime: current.lastTransitionTime }
        : next
    return [...withoutCondition(conditions, progressing), kept]
  }
  if (hasTimedOut(deployment, status, draft.now)) {
    return withCondition(
      conditions,
      draft.makeCondition(progressing, 'False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`),
    )
  }
  return conditions
}

/** The status after a rollout step: counts, progress, and failures of ReplicaSets. */
export function rolloutStatus(draft: Draft, newReplicaSet: ReplicaSet | undefined): DeploymentStatus {
  const status = countedStatus(draft, newReplicaSet)
  const conditions = progressConditions(draft, newReplicaSet, status)
  const failure = replicaFailure(draft.replicaSets, newReplicaSet)
  return {
    ...status,
    conditions:
      failure === undefined ? withoutCondition(conditions, 'ReplicaFailure') : withCondition(conditions, failure),
  }
}

/** Milliseconds until the progress deadline must be checked; undefined when nothing can time out. */
export function deadlineCheck(deployment: Deployment, now: Instant): number | undefined {
  const { status } = deployment
  const current = conditionOf(status?.conditions, progressing)
  if (!hasDeadline(deployment) || current === undefined) return undefined
  if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined
  const since = instantOf(current.lastUpdateTime) ?? now
  const wait = since + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - now
  return Math.max(wait, 0) + 1000
}
