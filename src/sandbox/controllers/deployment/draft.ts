/**
 * The Deployment and its ReplicaSets as they will be after the writes decided so far. Each step of the decision reads
 * and changes the draft, so that later steps see the effect of earlier ones.
 */
import { type Condition, type Deployment, type ReplicaSet, resources } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { timestamp } from '../../kinds/time.ts'
import { conditionOf, withCondition } from '../conditions/conditions.ts'
import { event, type Write } from '../decisions/decision.ts'
import { revisionAnnotation, sizesDiffer, withSizes } from './annotations.ts'
import { maxSurge, noLimit, replicasOf } from './bounds.ts'

export const progressing = 'Progressing'

export function hasDeadline(deployment: Deployment): boolean {
  const deadline = deployment.spec.progressDeadlineSeconds
  return deadline !== undefined && deadline !== noLimit
}

export class Draft {
  deployment: Deployment
  readonly writes: Write[] = []
  readonly now: Instant
  #replicaSets: ReplicaSet[]

  constructor(deployment: Deployment, replicaSets: readonly ReplicaSet[], now: Instant) {
    this.deployment = deployment
    this.#replicaSets = [...replicaSets]
    this.now = now
  }

  get replicaSets(): readonly ReplicaSet[] {
    return this.#replicaSets
  }

  /** The latest version of this ReplicaSet in the draft. */
  latest(replicaSet: ReplicaSet): ReplicaSet {
    return this.#replicaSets.find(({ metadata }) => metadata.name === replicaSet.metadata.name) ?? replicaSet
  }

  add(replicaSet: ReplicaSet): void {
    this.#replicaSets.push(replicaSet)
    this.writes.push({ verb: 'create', type: resources.replicaSets, object: replicaSet })
  }

  replace(replicaSet: ReplicaSet): void {
    this.#replicaSets = this.#replicaSets.map((other) =>
      other.metadata.name === replicaSet.metadata.name ? replicaSet : other,
    )
    this.writes.push({ verb: 'update', type: resources.replicaSets, object: replicaSet })
  }

  remove(replicaSet: ReplicaSet): void {
    this.writes.push({ verb: 'delete', type: resources.replicaSets, object: replicaSet })
  }

  addEvent(reason: string, message: string): void {
    this.writes.push(event(this.deployment, 'Normal', reason, message))
  }

  condition(type: string): Condition | undefined {
    return conditionOf(this.deployment.status?.conditions, type)
  }

  makeCondition(type: string, status: string, reason: string, message: string): Condition {
    const time = timestamp(this.now)
    return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message }
  }

  setProgressing(status: string, reason: string, message: string): void {
    const conditions = withCondition(
      this.deployment.status?.conditions,
      this.makeCondition(progressing, status, reason, message),
    )
    this.deployment = { ...this.deployment, status: { ...this.deployment.status, conditions } }
  }

  setRevision(revision: string): void {
    const { metadata } = this.deployment
    if (metadata.annotations?.[revisionAnnotation] === revision) return
    const annotations = { ...metadata.annotations, [revisionAnnotation]: revision }
    this.deployment = { ...this.deployment, metadata: { ...metadata, annotations } }
  }

  /** Returns whether the size changed; `always` also corrects the size annotations of a ReplicaSet that keeps its size. */
  scale(replicaSet: ReplicaSet, size: number, always = false): boolean {
    const current = this.latest(replicaSet)
    const before = replicasOf(current)
    if (!always && before === size) return false
    const desired = replicasOf(this.deployment)
    const maxReplicas = desired + maxSurge(this.deployment)
    if (before === size && !sizesDiffer(current, desired, maxReplicas)) return false
    this.replace({
      ...current,
      metadata: { ...current.metadata, annotations: withSizes(current.metadata.annotations, desired, maxReplicas) },
      spec: { ...current.spec, replicas: size },
    })
    if (before === size) return false
    const direction = before < size ? 'up' : 'down'
    this.addEvent(
      'ScalingReplicaSet',
      `Scaled ${direction} replica set ${current.metadata.name} from ${before} to ${size}`,
    )
    return true
  }
}
