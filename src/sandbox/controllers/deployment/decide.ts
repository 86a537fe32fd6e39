/**
 * A Deployment's decision, in the order of the real controller: pause conditions, then either sizes only (paused, or `replicas` has
 * changed) or one step of the strategy, and the status last.
 */
import { resources } from '../../../kube/types.ts'
import type { Instant } from '../../../runtime/clock.ts'
import { sameMeaning } from '../../kinds/canonical.ts'
import type { Pod } from '../../kinds/pod.ts'
import { isEmptySelector } from '../../kinds/selector.ts'
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../kinds/workload.ts'
import { type Decision, event } from '../decisions/decision.ts'
import { isRolling, replicasOf } from './bounds.ts'
import { Draft, hasDeadline } from './draft.ts'
import { ensureFresh, HashCollision, syncRevision } from './fresh.ts'
import { emptyOld, oldPodsRun } from './recreate.ts'
import { growNew, shrinkOld } from './rolling.ts'
import { isScalingEvent, pruneHistory, scaleAll } from './scaling.ts'
import { countedStatus, deadlineCheck, isComplete, rolloutStatus } from './status.ts'

export interface DeploymentWorld {
  readonly deployment: Deployment
  /** Those the Deployment has claimed. */
  readonly replicaSets: readonly ReplicaSet[]
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[]
  /** Any ReplicaSet of this name in the namespace, whoever owns it. */
  readonly named: (name: string) => ReplicaSet | undefined
}

function notePause(draft: Draft): void {
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

function resize(draft: Draft): DeploymentStatus {
  const generations = syncRevision(draft)
  scaleAll(draft, generations)
  if (draft.deployment.spec.paused === true) pruneHistory(draft, generations.old)
  return countedStatus(draft, generations.fresh && draft.latest(generations.fresh))
}

function roll(draft: Draft, world: DeploymentWorld): DeploymentStatus {
  const { fresh, old } = ensureFresh(draft, world.named)
  if (fresh === undefined) return countedStatus(draft, fresh)
  const moved = growNew(draft, fresh) || shrinkOld(draft, old, fresh)
  if (!moved && isComplete(draft.deployment, draft.deployment.status)) pruneHistory(draft, old)
  return rolloutStatus(draft, draft.latest(fresh))
}

function recreate(draft: Draft, world: DeploymentWorld): DeploymentStatus {
  const before = syncRevision(draft)
  const waiting = emptyOld(draft, before.old) || oldPodsRun(before.old, before.fresh, draft.replicaSets, world.podsOf)
  if (waiting) return rolloutStatus(draft, before.fresh)
  const { fresh, old } = ensureFresh(draft, world.named)
  if (fresh === undefined) return countedStatus(draft, fresh)
  draft.scale(fresh, replicasOf(draft.deployment))
  if (isComplete(draft.deployment, draft.deployment.status)) pruneHistory(draft, old)
  return rolloutStatus(draft, draft.latest(fresh))
}

function act(draft: Draft, world: DeploymentWorld): { status: DeploymentStatus; why: string } {
  const { deployment } = draft
  if (deployment.metadata.deletionTimestamp !== undefined) {
    const { fresh } = syncRevision(draft)
    return { status: countedStatus(draft, fresh), why: 'being deleted: status only' }
  }
  notePause(draft)
  if (deployment.spec.paused === true) return { status: resize(draft), why: 'paused: sizes only' }
  syncRevision(draft)
  if (isScalingEvent(draft)) return { status: resize(draft), why: 'replicas changed: sizes only' }
  return isRolling(deployment)
    ? { status: roll(draft, world), why: 'rolling update' }
    : { status: recreate(draft, world), why: 'recreate' }
}

function finish(draft: Draft, before: Deployment, status: DeploymentStatus, why: string): Decision {
  const object = { ...draft.deployment, status }
  const changed =
    !sameMeaning(before.status ?? {}, status) ||
    !sameMeaning(before.metadata.annotations ?? {}, object.metadata.annotations ?? {})
  const wakeAfter = changed || before.spec.paused === true ? undefined : deadlineCheck(object, draft.now)
  return {
    writes: changed
      ? [...draft.writes, { verb: 'update', type: resources.deployments, object, subresource: 'status' }]
      : draft.writes,
    ...(wakeAfter === undefined ? {} : { wakeAfter }),
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
    const decision = finish(draft, deployment, status, 'the new ReplicaSet’s name is taken: hash again')
    return { ...decision, retry: true }
  }
}

/** What is written when the API server refuses the new ReplicaSet. */
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
