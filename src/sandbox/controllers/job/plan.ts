/**
 * The first half of a Job's decision: has it come to an end, and which pods are to be made or taken away?
 */
import type { Instant } from '../../../runtime/clock.ts'
import type { Job } from '../../kinds/job.ts'
import type { Pod } from '../../kinds/pod.ts'
import { instantOf, timestamp } from '../../kinds/time.ts'
import type { Condition } from '../../kinds/workload.ts'
import { conditionOf } from '../conditions/conditions.ts'
import { isTerminating } from '../pods/state.ts'
import { deletionOrder } from '../replicaset/rank.ts'
import { afterPods, backOffLeft } from './backoff.ts'
import { indexOf, isFailed, isIndexed, replacesFailedOnly } from './pods.ts'
import { matchFailure, matchSuccess } from './policy.ts'
import { type Failures, isSuspended, type JobWorld, type Tally } from './world.ts'

/** Most pods made or taken away by one sync. */
const most = 500

export interface JobPlan {
  /** `SuccessCriteriaMet`, `FailureTarget` or `Failed`: no more pods, and the active ones go. */
  readonly end: Condition | undefined
  /** One entry per pod to make: its index, or undefined for a Job without indexes. */
  readonly create: readonly (number | undefined)[]
  readonly remove: readonly Pod[]
  /** Removed pods are not counted: their finalizer goes before them. */
  readonly uncounted: boolean
  readonly failures: Failures
  readonly wakeAfter?: number
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

/** Milliseconds left until the Job's deadline. */
export function deadlineLeft(job: Job, startTime: string | undefined, now: Instant): number | undefined {
  const { activeDeadlineSeconds } = job.spec
  const started = instantOf(startTime)
  if (activeDeadlineSeconds === undefined || started === undefined || isSuspended(job)) return undefined
  return started + activeDeadlineSeconds * 1000 - now
}

function endOf(
  { job, pods }: JobWorld,
  counts: Tally,
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

function wantedActive(job: Job, counts: Tally): number {
  const { parallelism = 1, completions } = job.spec
  if (completions === undefined) return counts.succeeded > 0 ? counts.active.length : parallelism
  return Math.max(0, Math.min(completions - counts.succeeded, parallelism))
}

/** Pods with an index that another has or that is out of range go first; then the least useful. */
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
      remove.push(...pods.slice(0, -1))
      left.push(...pods.slice(-1))
    }
  } else left.push(...active)
  const more = Math.max(0, atLeast - remove.length)
  return [...remove, ...left.sort(order).slice(0, more)].slice(0, most)
}

function pendingIndexes(job: Job, counts: Tally, count: number): readonly number[] {
  const taken = new Set(counts.active.map((pod) => indexOf(job, pod)))
  const result: number[] = []
  for (let index = 0; index < (job.spec.completions ?? 0) && result.length < count; index++) {
    if (!taken.has(index) && !counts.succeededIndexes.has(index)) result.push(index)
  }
  return result
}

/** `settled`: everything asked for before is seen. */
export function planJob(
  world: JobWorld,
  counts: Tally,
  startTime: string | undefined,
  settled: boolean,
  now: Instant,
): JobPlan {
  const { job, pods } = world
  const failures = afterPods(world.failures, counts.newSucceeded, counts.newFailed)
  const end = endOf(world, counts, startTime, now)
  const idle = { end, create: [], remove: [], uncounted: false, failures }
  if (end !== undefined) return { ...idle, remove: counts.active }
  const left = deadlineLeft(job, startTime, now)
  const waiting = left === undefined ? idle : { ...idle, wakeAfter: left }
  if (!settled || job.metadata.deletionTimestamp !== undefined) return waiting
  if (isSuspended(job))
    return { ...waiting, remove: toRemove(job, counts.active, counts.active.length, now), uncounted: true }
  const wanted = wantedActive(job, counts)
  const remove = toRemove(job, counts.active, Math.max(0, counts.active.length - wanted), now)
  if (remove.length > 0) return { ...waiting, remove, uncounted: true }
  const terminating = replacesFailedOnly(job) ? pods.filter(isTerminating).length : 0
  const missing = Math.min(wanted - terminating - counts.active.length, most)
  if (missing <= 0) return waiting
  const wait = backOffLeft(failures, now)
  if (wait > 0) return { ...waiting, wakeAfter: Math.min(wait, left ?? wait) }
  const create = isIndexed(job)
    ? pendingIndexes(job, counts, missing)
    : Array.from({ length: missing }, () => undefined)
  return { ...waiting, create }
}
