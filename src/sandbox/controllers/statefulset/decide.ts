/**
 * The decision of the StatefulSet controller: pods in order, each waiting for the previous one unless managed in
 * parallel; scale-down from the highest ordinal; then the rolling update from the highest ordinal to the partition.
 */

import type { Pod, PodTemplate, StatefulSet, StatefulSetStatus } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { scaledAmount } from '../../kinds/amount.ts'
import { isAvailable, isFinished, isReady } from '../pods/state.ts'
import { withoutZeros } from '../replicaset/decide.ts'
import { identityMatches, isInRange, makePod, ordinalOf, replicasOf, revisionOf, startOrdinal } from './identity.ts'

export interface StatefulSetWorld {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  readonly current: { readonly name: string; readonly template: PodTemplate }
  readonly update: { readonly name: string; readonly template: PodTemplate }
  readonly collisionCount: number | undefined
}

export type PodStep =
  | { readonly do: 'create'; readonly pod: Pod; readonly ordinal: number }
  | { readonly do: 'delete'; readonly pod: Pod; readonly scaledDown: boolean }
  /** Identity labels are missing. */
  | { readonly do: 'fixIdentity'; readonly pod: Pod }

export interface StatefulSetDecision {
  readonly steps: readonly PodStep[]
  readonly status: StatefulSetStatus
}

const isCreated = (pod: Pod): boolean => pod.status?.phase !== undefined
const isDeleting = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined
const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isReady(pod)

function counts(world: StatefulSetWorld, pods: readonly Pod[], now: Instant): Record<string, number> {
  const sum = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 }
  for (const pod of pods) {
    if (!isCreated(pod)) continue
    sum.replicas++
    if (isRunningAndReady(pod)) {
      sum.readyReplicas++
      if (isAvailable(pod, world.set.spec.minReadySeconds ?? 0, now)) sum.availableReplicas++
    }
    if (isDeleting(pod)) continue
    if (revisionOf(pod) === world.current.name) sum.currentReplicas++
    if (revisionOf(pod) === world.update.name) sum.updatedReplicas++
  }
  return sum
}

/** Below the partition, and before the first update is counted, a missing pod is re-created from the current revision. */
function missingPod({ set, current, update }: StatefulSetWorld, ordinal: number): Pod {
  const strategy = set.spec.updateStrategy
  const start = startOrdinal(set)
  const rolling = strategy?.rollingUpdate
  const old =
    rolling === undefined
      ? strategy?.type !== 'OnDelete' && ordinal < start + (set.status?.currentReplicas ?? 0)
      : ordinal < start + (rolling.partition ?? 0)
  return old
    ? makePod(set, current.template, current.name, ordinal)
    : makePod(set, update.template, update.name, ordinal)
}

class Plan {
  readonly world: StatefulSetWorld
  readonly now: Instant
  readonly steps: PodStep[] = []
  readonly replicas: readonly Pod[]
  /** Pods outside of the ordinal range, highest first. */
  readonly condemned: readonly Pod[]
  readonly #minReady: number

  constructor(world: StatefulSetWorld, now: Instant) {
    const { set, pods } = world
    this.world = world
    this.now = now
    this.#minReady = set.spec.minReadySeconds ?? 0
    const start = startOrdinal(set)
    const existing = new Map(pods.map((pod) => [ordinalOf(pod), pod]))
    this.replicas = Array.from(
      { length: replicasOf(set) },
      (_, index) => existing.get(start + index) ?? missingPod(world, start + index),
    )
    this.condemned = pods
      .filter((pod) => !isInRange(set, pod) && ordinalOf(pod) >= 0)
      .sort((one, other) => ordinalOf(other) - ordinalOf(one))
  }

  isUnavailable(pod: Pod): boolean {
    return !isAvailable(pod, this.#minReady, this.now) || isDeleting(pod)
  }

  get #firstUnavailable(): Pod | undefined {
    return [...this.replicas, ...this.condemned.toReversed()].find((pod) => this.isUnavailable(pod))
  }

  delete(pod: Pod, scaledDown = false): void {
    this.steps.push({ do: 'delete', pod, scaledDown })
  }

  /** Returns true when later pods must wait for this one. */
  processReplica(pod: Pod, ordered: boolean): boolean {
    if (isFinished(pod)) {
      if (!isDeleting(pod)) this.delete(pod)
      return true
    }
    if (!isCreated(pod)) {
      this.steps.push({ do: 'create', pod, ordinal: ordinalOf(pod) })
      return ordered
    }
    if (ordered && (isDeleting(pod) || !isRunningAndReady(pod) || !isAvailable(pod, this.#minReady, this.now)))
      return true
    if (!identityMatches(this.world.set, pod)) this.steps.push({ do: 'fixIdentity', pod })
    return false
  }

  /** Returns true when later pods must wait for this one. */
  processCondemned(pod: Pod, ordered: boolean): boolean {
    if (isDeleting(pod)) return ordered
    const healthy = isRunningAndReady(pod) && isAvailable(pod, this.#minReady, this.now)
    if (ordered && !healthy && pod !== this.#firstUnavailable) return true
    this.delete(pod, true)
    return true
  }
}

/** Processes pods in order and stops at the first that must wait; in parallel mode processes all. */
function processPods(pods: readonly Pod[], ordered: boolean, step: (pod: Pod) => boolean): boolean {
  for (const pod of pods) if (step(pod) && ordered) return true
  return false
}

/** Returns the number of deleted pods of the current revision. */
function rollOne(plan: Plan, partition: number): number {
  for (const pod of plan.replicas.slice(partition).toReversed()) {
    if (revisionOf(pod) !== plan.world.update.name && !isDeleting(pod)) {
      plan.delete(pod)
      return 1
    }
    if (plan.isUnavailable(pod)) return 0
  }
  return 0
}

function rollSome(plan: Plan, partition: number, limit: number): number {
  const unavailable = plan.replicas.filter((pod) => plan.isUnavailable(pod)).length
  let deleted = 0
  for (const pod of plan.replicas.slice(partition).toReversed()) {
    if (deleted >= limit - unavailable) break
    if (revisionOf(pod) === plan.world.update.name || isDeleting(pod)) continue
    plan.delete(pod)
    deleted++
  }
  return deleted
}

function roll(plan: Plan): number {
  const { updateStrategy } = plan.world.set.spec
  if (updateStrategy?.type === 'OnDelete') return 0
  const { partition = 0, maxUnavailable } = updateStrategy?.rollingUpdate ?? {}
  if (maxUnavailable === undefined) return rollOne(plan, partition)
  return rollSome(plan, partition, Math.max(1, scaledAmount(maxUnavailable, replicasOf(plan.world.set), 'down')))
}

function statusOf(world: StatefulSetWorld, sum: Record<string, number>): StatefulSetStatus {
  const { set, current, update, collisionCount } = world
  const desired = replicasOf(set)
  const complete =
    set.spec.updateStrategy?.type !== 'OnDelete' &&
    sum['updatedReplicas'] === desired &&
    sum['readyReplicas'] === desired &&
    sum['replicas'] === desired
  const { replicas = 0, availableReplicas = 0, ...rest } = sum
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas,
    ...withoutZeros({ ...rest, ...(complete ? { currentReplicas: sum['updatedReplicas'] ?? 0 } : {}) }),
    availableReplicas,
    currentRevision: complete ? update.name : current.name,
    updateRevision: update.name,
    collisionCount: collisionCount ?? 0,
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  }
}

export function decideStatefulSet(world: StatefulSetWorld, now: Instant): StatefulSetDecision {
  const plan = new Plan(world, now)
  if (world.set.metadata.deletionTimestamp !== undefined) {
    return { steps: [], status: statusOf(world, counts(world, world.pods, now)) }
  }
  const ordered = world.set.spec.podManagementPolicy !== 'Parallel'
  const waits =
    processPods(plan.replicas, ordered, (pod) => plan.processReplica(pod, ordered)) ||
    processPods(plan.condemned, ordered, (pod) => plan.processCondemned(pod, ordered))
  const sum = counts(world, [...plan.replicas, ...plan.condemned], now)
  if (!waits) sum['currentReplicas'] = (sum['currentReplicas'] ?? 0) - roll(plan)
  return { steps: plan.steps, status: statusOf(world, sum) }
}
