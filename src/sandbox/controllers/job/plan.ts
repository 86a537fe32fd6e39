/** The first part of a Job's decision: whether it has ended, and which pods to create or delete. */

import type { Condition, Job, Pod } from '../../../kube/kinds/index.ts'
import { append, type Instant } from '../../../runtime/index.ts'
import { instantOf, timestamp } from '../../kinds/time.ts'
import { conditionOf } from '../conditions/conditions.ts'
import { isTerminating } from '../pods/state.ts'
import { deletionOrder } from '../replicaset/deletion-order.ts'
import { afterPods, backOffLeft } from './backoff.ts'
import { indexOf, isFailed, isIndexed, replacesFailedOnly } from './pods.ts'
import { matchFailure, matchSuccess } from './policy.ts'
import { type Failures, isSuspended, type JobCounts, type JobWorld } from './world.ts'

const maxPodsPerSync = 500

export interface JobPlan {
  /** `SuccessCriteriaMet`, `FailureTarget` or `Failed`: no more pods are created and active ones are deleted. */
  readonly end: Condition | undefined
  /** One entry per pod to create: its index, or undefined for a Job without indexes. */
  readonly create: readonly (number | undefined)[]
  readonly remove: readonly Pod[]
  /** Deleted pods are not counted: their finalizer is removed before. */
  readonly uncounted: boolean
  readonly failures: Failures
  readonly requeueAfterMs?: number
}

export function jobCondition(type: string, status: string, reason: string, message: string, now: Instant): Condition {
  const time = timestamp(now)
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message }
}

function restartsPastLimit(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      restarts += container.restartCount
    }
  }
  const limit = job.spec.backoffLimit ?? 6
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Milliseconds until the Job's deadline. */
export function deadlineLeft(job: Job, startTime: string | undefined, now: Instant): number | undefined {
  const { activeDeadlineSeconds } = job.spec
  const started = instantOf(startTime)
  if (activeDeadlineSeconds === undefined || started === undefined || isSuspended(job)) return undefined
  return started + activeDeadlineSeconds * 1000 - now
}

function endOf(
  { job, pods }: JobWorld,
  counts: JobCounts,
  startTime: string | undefined,
  now: Instant,
): Condition | undefined {
  const { conditions } = job.status ?? {}
  const met = conditionOf(conditions, 'SuccessCriteriaMet')
  if (met?.status === 'True') return met
  const target = conditionOf(conditions, 'FailureTarget')
  if (target?.status === 'True') return jobCondition('Failed', 'True', target.reason ?? '', target.message ?? '', now)
  const failure = (reason: string, message: string) => jobCondition('FailureTarget', 'True', reason, message, now)
  for (const pod of pods) {
    const { failsJob } = isFailed(job, pod) ? matchFailure(job, pod) : {}
    if (failsJob !== undefined) return failure('PodFailurePolicy', failsJob)
  }
  if (counts.failed > (job.spec.backoffLimit ?? 6) || restartsPastLimit(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  if ((deadlineLeft(job, startTime, now) ?? 1) <= 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  const success = isIndexed(job) ? matchSuccess(job, counts.succeededIndexes) : undefined
  return success === undefined ? undefined : jobCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', success, now)
}

function wantedActive(job: Job, counts: JobCounts): number {
  const { parallelism = 1, completions } = job.spec
  if (completions === undefined) return counts.succeeded > 0 ? counts.active.length : parallelism
  return Math.max(0, Math.min(completions - counts.succeeded, parallelism))
}

/** Pods with a duplicate or invalid index first; then by deletion order. */
function toRemove(job: Job, active: readonly Pod[], atLeast: number, now: Instant): readonly Pod[] {
  const remove: Pod[] = []
  const left: Pod[] = []
  const order = (one: Pod, other: Pod) => deletionOrder(one, other, new Map(), now)
  if (isIndexed(job)) {
    const holders = new Map<number, Pod[]>()
    for (const pod of active) {
      const index = indexOf(job, pod)
      if (index === undefined) remove.push(pod)
      else holders.set(index, [...(holders.get(index) ?? []), pod])
    }
    for (const pods of holders.values()) {
      pods.sort(order)
      append(remove, pods.slice(0, -1))
      append(left, pods.slice(-1))
    }
  } else append(left, active)
  const more = Math.max(0, atLeast - remove.length)
  return [...remove, ...left.sort(order).slice(0, more)].slice(0, maxPodsPerSync)
}

function pendingIndexes(job: Job, counts: JobCounts, count: number): readonly number[] {
  const taken = new Set(counts.active.map((pod) => indexOf(job, pod)))
  const result: number[] = []
  for (let index = 0; index < (job.spec.completions ?? 0) && result.length < count; index++) {
    if (!taken.has(index) && !counts.succeededIndexes.has(index)) result.push(index)
  }
  return result
}

export interface PlanFacts {
  readonly startTime: string | undefined
  /** Whether earlier creations and deletions are visible in the cache. */
  readonly expectationsSatisfied: boolean
}

export function planJob(
  world: JobWorld,
  counts: JobCounts,
  { startTime, expectationsSatisfied }: PlanFacts,
  now: Instant,
): JobPlan {
  const { job, pods } = world
  const failures = afterPods(world.failures, counts.newSucceeded, counts.newFailed)
  const end = endOf(world, counts, startTime, now)
  const idle = { end, create: [], remove: [], uncounted: false, failures }
  if (end !== undefined) return { ...idle, remove: counts.active }
  const left = deadlineLeft(job, startTime, now)
  const waiting = left === undefined ? idle : { ...idle, requeueAfterMs: left }
  if (!expectationsSatisfied || job.metadata.deletionTimestamp !== undefined) return waiting
  if (isSuspended(job))
    return { ...waiting, remove: toRemove(job, counts.active, counts.active.length, now), uncounted: true }
  const wanted = wantedActive(job, counts)
  const remove = toRemove(job, counts.active, Math.max(0, counts.active.length - wanted), now)
  if (remove.length > 0) return { ...waiting, remove, uncounted: true }
  const terminating = replacesFailedOnly(job) ? pods.filter(isTerminating).length : 0
  const missing = Math.min(wanted - terminating - counts.active.length, maxPodsPerSync)
  if (missing <= 0) return waiting
  const wait = backOffLeft(failures, now)
  if (wait > 0) return { ...waiting, requeueAfterMs: Math.min(wait, left ?? wait) }
  const create = isIndexed(job)
    ? pendingIndexes(job, counts, missing)
    : Array.from({ length: missing }, () => undefined)
  return { ...waiting, create }
}
