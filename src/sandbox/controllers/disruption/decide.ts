/** Computes how many pods of a PodDisruptionBudget can be disrupted now. */

import type { Pod, PodDisruptionBudget } from '../../../kube/kinds/index.ts'
import { type Instant, smallest } from '../../../runtime/index.ts'
import { scaledAmount } from '../../kinds/amount.ts'
import { instantOf, timestamp } from '../../kinds/time.ts'
import { isReady } from '../pods/state.ts'

type Status = NonNullable<PodDisruptionBudget['status']>

/** An allowed eviction expires when the pod is not deleted within this time. */
const evictionTimeoutMs = 120_000

function stillDisrupted(budget: PodDisruptionBudget, pods: readonly Pod[], now: Instant): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, time] of Object.entries(budget.status?.disruptedPods ?? {})) {
    const pod = pods.find(({ metadata }) => metadata.name === name)
    const expired = (instantOf(time) ?? 0) + evictionTimeoutMs <= now
    if (pod !== undefined && pod.metadata.deletionTimestamp === undefined && !expired) result[name] = time
  }
  return result
}

/** `scale` is the number of replicas of all owners of the pods. */
function expectedPods(
  { spec }: PodDisruptionBudget,
  pods: number,
  scale: number,
): { expected: number; desired: number } {
  const { maxUnavailable, minAvailable } = spec
  if (maxUnavailable !== undefined) {
    return { expected: scale, desired: Math.max(0, scale - scaledAmount(maxUnavailable, scale, 'up')) }
  }
  if (typeof minAvailable === 'string' && minAvailable.endsWith('%')) {
    return { expected: scale, desired: scaledAmount(minAvailable, scale, 'up') }
  }
  return { expected: pods, desired: scaledAmount(minAvailable, pods, 'up') }
}

export interface BudgetDecision {
  readonly status: Status
  readonly requeueAfterMs?: number
}

/** When the expected pod count is unknown, no disruption is allowed. */
export function failedBudget(budget: PodDisruptionBudget, reason: string, now: Instant): Status {
  const before = budget.status
  const type = 'DisruptionAllowed'
  const current = before?.conditions?.find((condition) => condition.type === type)
  const condition = {
    type,
    status: 'False',
    ...(before?.observedGeneration === undefined ? {} : { observedGeneration: before.observedGeneration }),
    lastTransitionTime: current?.status === 'False' ? (current.lastTransitionTime ?? '') : timestamp(now),
    reason: 'SyncFailed',
    message: reason,
  }
  const others = (before?.conditions ?? []).filter((other) => other.type !== type)
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = before ?? {}
  return {
    ...before,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: 0,
    conditions: [...others, condition],
  }
}

export function decideBudget(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  scale: number,
  now: Instant,
): BudgetDecision {
  const disrupted = stillDisrupted(budget, pods, now)
  const healthy = pods.filter(
    (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined && !(pod.metadata.name in disrupted),
  ).length
  const { expected, desired } = expectedPods(budget, pods.length, scale)
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const generation = budget.metadata.generation ?? 0
  const type = 'DisruptionAllowed'
  const before = budget.status?.conditions?.find((condition) => condition.type === type)
  const status = allowed > 0 ? 'True' : 'False'
  const condition = {
    type,
    status,
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? '') : timestamp(now),
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
  const others = (budget.status?.conditions ?? []).filter((other) => other.type !== type)
  const grants = Object.values(disrupted).map((time) => (instantOf(time) ?? now) + evictionTimeoutMs - now)
  return {
    status: {
      observedGeneration: generation,
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      ...(grants.length === 0 ? {} : { disruptedPods: disrupted }),
      conditions: [...others, condition],
    },
    ...(grants.length === 0 ? {} : { requeueAfterMs: Math.max(1, smallest(grants)) }),
  }
}
