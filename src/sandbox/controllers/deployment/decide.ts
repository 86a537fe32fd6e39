/**
 * The decision of the Deployment controller, in the order of the real one: pause conditions, then either scaling only
 * (paused, or `replicas` changed) or one step of the strategy, and the status last.
 */
import {
  type Deployment,
  type DeploymentStatus,
  type Pod,
  type ReplicaSet,
  resources,
} from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { semanticallyEqual } from '../../kinds/canonical.ts'
import { isEmptySelector } from '../../kinds/selector.ts'
import { type Decision, event } from '../decisions/decision.ts'
import { isRolling, replicasOf } from './bounds.ts'
import { Draft, hasDeadline } from './draft.ts'
import { ensureNewReplicaSet, HashCollision, syncRevision } from './new-replica-set.ts'
import { oldPodsAreRunning, scaleOldToZero } from './recreate.ts'
import { scaleDownOldReplicaSets, scaleNewReplicaSet } from './rolling.ts'
import { isScalingEvent, pruneHistory, scaleAll } from './scaling.ts'
import { countedStatus, deadlineCheck, isComplete, rolloutStatus } from './status.ts'

export interface DeploymentWorld {
  readonly deployment: Deployment
  /** The ReplicaSets claimed by the Deployment. */
  readonly replicaSets: readonly ReplicaSet[]
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[]
  /** Any ReplicaSet of this name in the namespace, regardless of its owner. */
  readonly named: (name: string) => ReplicaSet | undefined
}

function setPauseConditions(draft: Draft): void {
  if (!hasDeadline(draft.deployment)) return
  const reason = draft.condition('Progressing')?.reason
  if (reason === 'ProgressDeadlineExceeded') return
  const paused = draft.deployment.spec.paused === true
  if (paused && reason !== 'DeploymentPaused') {
    draft.setProgressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
  } else if (!paused && reason === 'DeploymentPaused') {
    draft.setProgressing('Unknown', 'DeploymentResumed', 'Deployment is resumed')
  }
}

function scaleOnly(draft: Draft): DeploymentStatus {
  const replicaSets = syncRevision(draft)
  scaleAll(draft, replicaSets)
  if (draft.deployment.spec.paused === true) pruneHistory(draft, replicaSets.old)
  return countedStatus(draft, replicaSets.newReplicaSet && draft.latest(replicaSets.newReplicaSet))
}

function roll(draft: Draft, world: DeploymentWorld): DeploymentStatus {
  const { newReplicaSet, old } = ensureNewReplicaSet(draft, world.named)
  if (newReplicaSet === undefined) return countedStatus(draft, newReplicaSet)
  const scaled = scaleNewReplicaSet(draft, newReplicaSet) || scaleDownOldReplicaSets(draft, old, newReplicaSet)
  if (!scaled && isComplete(draft.deployment, draft.deployment.status)) pruneHistory(draft, old)
  return rolloutStatus(draft, draft.latest(newReplicaSet))
}

function recreate(draft: Draft, world: DeploymentWorld): DeploymentStatus {
  const before = syncRevision(draft)
  const waiting =
    scaleOldToZero(draft, before.old) ||
    oldPodsAreRunning(before.old, before.newReplicaSet, draft.replicaSets, world.podsOf)
  if (waiting) return rolloutStatus(draft, before.newReplicaSet)
  const { newReplicaSet, old } = ensureNewReplicaSet(draft, world.named)
  if (newReplicaSet === undefined) return countedStatus(draft, newReplicaSet)
  draft.scale(newReplicaSet, replicasOf(draft.deployment))
  if (isComplete(draft.deployment, draft.deployment.status)) pruneHistory(draft, old)
  return rolloutStatus(draft, draft.latest(newReplicaSet))
}

function act(draft: Draft, world: DeploymentWorld): { status: DeploymentStatus; why: string } {
  const { deployment } = draft
  if (deployment.metadata.deletionTimestamp !== undefined) {
    const { newReplicaSet } = syncRevision(draft)
    return { status: countedStatus(draft, newReplicaSet), why: 'being deleted: status only' }
  }
  setPauseConditions(draft)
  if (deployment.spec.paused === true) return { status: scaleOnly(draft), why: 'paused: sizes only' }
  syncRevision(draft)
  if (isScalingEvent(draft)) return { status: scaleOnly(draft), why: 'replicas changed: sizes only' }
  return isRolling(deployment)
    ? { status: roll(draft, world), why: 'rolling update' }
    : { status: recreate(draft, world), why: 'recreate' }
}

function finish(draft: Draft, before: Deployment, status: DeploymentStatus, why: string): Decision {
  const object = { ...draft.deployment, status }
  const changed =
    !semanticallyEqual(before.status ?? {}, status) ||
    !semanticallyEqual(before.metadata.annotations ?? {}, object.metadata.annotations ?? {})
  const requeueAfterMs = changed || before.spec.paused === true ? undefined : deadlineCheck(object, draft.now)
  return {
    writes: changed
      ? [...draft.writes, { verb: 'update', type: resources.deployments, object, subresource: 'status' }]
      : draft.writes,
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
    why,
  }
}

function refuseSelectAll(deployment: Deployment): Decision {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.'
  const generation = deployment.metadata.generation ?? 0
  const seen = (deployment.status?.observedGeneration ?? 0) >= generation
  const object = { ...deployment, status: { ...deployment.status, observedGeneration: generation } }
  return {
    writes: [
      event(deployment, 'Warning', 'SelectingAll', message),
      ...(seen ? [] : [{ verb: 'update', type: resources.deployments, object, subresource: 'status' } as const]),
    ],
    why: 'selects everything',
  }
}

export function decideDeployment(world: DeploymentWorld, now: Instant): Decision {
  const { deployment, replicaSets } = world
  if (isEmptySelector(deployment.spec.selector)) return refuseSelectAll(deployment)
  const draft = new Draft(deployment, replicaSets, now)
  try {
    const { status, why } = act(draft, world)
    return finish(draft, deployment, status, why)
  } catch (error) {
    if (!(error instanceof HashCollision)) throw error
    const status = { ...draft.deployment.status, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 }
    const decision = finish(
      draft,
      deployment,
      status,
      'the name of the new ReplicaSet is taken: retry with another hash',
    )
    return { ...decision, retry: true }
  }
}

/** The writes after the API server refused to create the new ReplicaSet. */
export function creationFailed(deployment: Deployment, name: string, reason: string, now: Instant): Decision {
  const message = `Failed to create new replica set "${name}": ${reason}`
  const draft = new Draft(deployment, [], now)
  const writes = [event(deployment, 'Warning', 'ReplicaSetCreateError', message)]
  if (!hasDeadline(deployment)) return { writes, why: message }
  draft.setProgressing('False', 'ReplicaSetCreateError', message)
  const object = draft.deployment
  return {
    writes: [{ verb: 'update', type: resources.deployments, object, subresource: 'status' }, ...writes],
    why: message,
  }
}
