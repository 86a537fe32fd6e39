/** Predicates on the status of a pod, as used by the controllers. */

import type { Condition, Pod } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'

export function podCondition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True'
}

export function readySince(pod: Pod): Instant | undefined {
  const condition = podCondition(pod, 'Ready')
  return condition?.status === 'True' ? instantOf(condition.lastTransitionTime) : undefined
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: Instant): boolean {
  if (!isReady(pod)) return false
  if (minReadySeconds === 0) return true
  const since = readySince(pod)
  return since !== undefined && since + minReadySeconds * 1000 <= now
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined
}

export function isTerminating(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined
}

/** Milliseconds until the next ready pod becomes available; undefined when none will. */
export function nextAvailability(pods: readonly Pod[], minReadySeconds: number, now: Instant): number | undefined {
  if (minReadySeconds <= 0) return undefined
  let next: number | undefined
  for (const pod of pods) {
    const since = readySince(pod)
    if (since === undefined) continue
    const wait = since + minReadySeconds * 1000 - now
    if (wait > 0 && (next === undefined || wait < next)) next = wait
  }
  return next
}
