/** The decision of the ReplicaSet controller: how many pods to create, which to delete, and the status. */

import type { Pod, ReplicaSet, ReplicaSetStatus } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { semanticallyEqual } from '../../kinds/canonical.ts'
import { includesLabels } from '../../kinds/selector.ts'
import { timestamp } from '../../kinds/time.ts'
import { conditionOf, withCondition, withoutCondition } from '../conditions/conditions.ts'
import { isAvailable, isReady } from '../pods/state.ts'
import { podsToDelete } from './deletion-order.ts'

/** Maximum number of pods created or deleted by one sync, as in the real controller. */
export const burstReplicas = 500

export interface ReplicaSetWorld {
  readonly replicaSet: ReplicaSet
  /** Claimed pods that are neither finished nor being deleted. */
  readonly active: readonly Pod[]
  readonly terminating: readonly Pod[]
  /** Pods of all ReplicaSets with the same controller, to prefer deletions on nodes with many of them. */
  readonly related: () => readonly Pod[]
}

export interface ReplicaChange {
  readonly create: number
  readonly remove: readonly Pod[]
}

export function decideReplicas(world: ReplicaSetWorld, now: Instant): ReplicaChange {
  const { replicaSet, active } = world
  const surplus = active.length - (replicaSet.spec.replicas ?? 1)
  if (replicaSet.metadata.deletionTimestamp !== undefined || surplus === 0) return { create: 0, remove: [] }
  if (surplus < 0) return { create: Math.min(-surplus, burstReplicas), remove: [] }
  return { create: 0, remove: podsToDelete(active, world.related(), Math.min(surplus, burstReplicas), now) }
}

/** `failure` is the message of the first failed create or delete in this sync. */
export function replicaSetStatus(world: ReplicaSetWorld, failure: string | undefined, now: Instant): ReplicaSetStatus {
  const { replicaSet, active } = world
  const { spec, status, metadata } = replicaSet
  const ready = active.filter(isReady)
  let conditions = status?.conditions ?? []
  const current = conditionOf(conditions, 'ReplicaFailure')
  if (failure !== undefined && current === undefined) {
    const reason = active.length < (spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete'
    const lastTransitionTime = timestamp(now)
    conditions = withCondition(conditions, {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime,
      reason,
      message: failure,
    })
  } else if (failure === undefined && current !== undefined) {
    conditions = withoutCondition(conditions, 'ReplicaFailure')
  }
  const counts = {
    fullyLabeledReplicas: active.filter((pod) => includesLabels(pod.metadata.labels, spec.template.metadata?.labels))
      .length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now)).length,
  }
  return {
    replicas: active.length,
    ...withoutZeros(counts),
    terminatingReplicas: world.terminating.length,
    observedGeneration: metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
}

/** Omits counts of 0, like the API types. */
export function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

export function statusChanged(before: object | undefined, after: object): boolean {
  return !semanticallyEqual(before ?? {}, after)
}
