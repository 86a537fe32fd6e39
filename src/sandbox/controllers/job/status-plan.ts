/**
 * The second part of a Job's decision: the status after pods were created or deleted, which pods are counted and
 * released, and whether the Job has finished. Counting uses two status writes with the removal of finalizers in
 * between, so that a crash cannot count a pod twice.
 */

import type { Condition, Job, JobStatus, Pod } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { timestamp } from '../../kinds/time.ts'
import { conditionOf } from '../conditions/conditions.ts'
import { type EventWrite, event } from '../decisions/decision.ts'
import { isReady, isTerminating } from '../pods/state.ts'
import { withoutZeros } from '../replicaset/decide.ts'
import { formatIndexes, parseIndexes } from './indexes.ts'
import { jobCondition } from './plan.ts'
import { indexOf, isFailed, isIndexed, isTracked } from './pods.ts'
import { matchFailure } from './policy.ts'
import { isSuspended, type JobCounts, type JobWorld, uidOf } from './world.ts'

/** The result of executing the plan. */
export interface PlanResult {
  readonly end: Condition | undefined
  readonly created: number
  readonly removed: readonly Pod[]
  /** Whether pods were managed in this sync: only then the Suspended condition is updated. */
  readonly managed: boolean
  readonly startTime: string | undefined
}

export interface StatusPlan {
  /** Written first: uids of pods to be counted. */
  readonly before: JobStatus
  /** Pods whose finalizer is removed between the two writes. */
  readonly release: readonly Pod[]
  /** Written last: the counts and the final condition. */
  readonly after: JobStatus
  readonly events: readonly EventWrite[]
  readonly finished: boolean
}

function ensure(
  conditions: readonly Condition[],
  next: Condition,
): { readonly list: readonly Condition[]; readonly changed: boolean } {
  const current = conditionOf(conditions, next.type)
  if (current === undefined) {
    return next.status === 'False'
      ? { list: conditions, changed: false }
      : { list: [...conditions, next], changed: true }
  }
  const same = current.status === next.status && current.reason === next.reason && current.message === next.message
  return same
    ? { list: conditions, changed: false }
    : { list: conditions.map((one) => (one.type === next.type ? next : one)), changed: true }
}

function isComplete(job: Job, counts: JobCounts, active: number): boolean {
  const { completions } = job.spec
  return active === 0 && (completions === undefined ? counts.succeeded > 0 : counts.succeeded >= completions)
}

/** Pods to release, and which of them are counted. */
function podsToRelease(world: JobWorld, end: Condition | undefined) {
  const { job, pods, releasing } = world
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {}
  const release: Pod[] = []
  const newSucceeded: string[] = []
  const newFailed: string[] = []
  const failing = end !== undefined && end.type !== 'SuccessCriteriaMet'
  for (const pod of pods) {
    const uid = uidOf(pod)
    if (!isTracked(pod) || releasing.has(uid)) continue
    const done = pod.status?.phase === 'Succeeded'
    const gone = isFailed(job, pod)
    if (!(job.metadata.deletionTimestamp !== undefined || end !== undefined || done || gone)) continue
    release.push(pod)
    const counted = !isIndexed(job) || indexOf(job, pod) !== undefined
    if (done && !failed.includes(uid)) {
      if (!isIndexed(job) && !succeeded.includes(uid)) newSucceeded.push(uid)
    } else if ((gone || failing) && counted && !failed.includes(uid) && matchFailure(job, pod).counts)
      newFailed.push(uid)
  }
  return { release, succeeded: [...succeeded, ...newSucceeded], failed: [...failed, ...newFailed] }
}

function withEnd(conditions: readonly Condition[], end: Condition | undefined, now: Instant) {
  if (end === undefined) return { conditions, final: undefined }
  const final = (type: string) => jobCondition(type, 'True', end.reason ?? '', end.message ?? '', now)
  if (end.type === 'FailureTarget') return { conditions: [...conditions, end], final: final('Failed') }
  if (end.type === 'SuccessCriteriaMet') {
    const known = conditionOf(conditions, end.type)?.status === 'True'
    return { conditions: known ? conditions : [...conditions, end], final: final('Complete') }
  }
  return { conditions, final: end }
}

interface Suspension {
  readonly conditions: readonly Condition[]
  readonly startTime: string | undefined
  readonly events: readonly EventWrite[]
}

function suspension(job: Job, outcome: PlanResult, now: Instant): Suspension {
  const conditions = job.status?.conditions ?? []
  const asBefore = { conditions, startTime: outcome.startTime, events: [] }
  if (!outcome.managed || outcome.end !== undefined) return asBefore
  const suspended = isSuspended(job)
  const next = suspended
    ? jobCondition('Suspended', 'True', 'JobSuspended', 'Job suspended', now)
    : jobCondition('Suspended', 'False', 'JobResumed', 'Job resumed', now)
  const { list, changed } = ensure(conditions, next)
  if (!changed) return asBefore
  return {
    conditions: list,
    startTime: suspended ? undefined : timestamp(now),
    events: [event(job, 'Normal', suspended ? 'Suspended' : 'Resumed', next.message ?? '')],
  }
}

function finishEvents(job: Job, final: Condition, succeeded: number): readonly EventWrite[] {
  if (final.type !== 'Complete') return [event(job, 'Warning', final.reason ?? '', final.message ?? '')]
  const completed = event(job, 'Normal', 'Completed', 'Job completed')
  if (succeeded <= (job.spec.completions ?? Number.POSITIVE_INFINITY)) return [completed]
  const message = 'Too many succeeded pods running after completion count reached'
  return [event(job, 'Warning', 'TooManySucceededPods', message), completed]
}

export function planStatus(world: JobWorld, counts: JobCounts, outcome: PlanResult, now: Instant): StatusPlan {
  const { job, pods } = world
  const active = counts.active.length + outcome.created - outcome.removed.length
  const completed = outcome.end === undefined && isComplete(job, counts, active)
  const success = 'Reached expected number of succeeded pods'
  const end = completed ? jobCondition('SuccessCriteriaMet', 'True', 'CompletionsReached', success, now) : outcome.end
  const paused = suspension(job, { ...outcome, end }, now)
  const { conditions, final } = withEnd(paused.conditions, end, now)
  const { release, succeeded, failed } = podsToRelease(world, end)
  const terminating = pods.filter(isTerminating).length + outcome.removed.length
  const indexes = isIndexed(job)
    ? new Set([...parseIndexes(job.status?.completedIndexes, job.spec.completions ?? 0), ...counts.succeededIndexes])
    : undefined
  const statusWith = (
    numbers: { readonly succeeded: number; readonly failed: number },
    waiting: NonNullable<JobStatus['uncountedTerminatedPods']>,
    all: readonly Condition[],
    completionTime?: string,
  ): JobStatus => ({
    ...(all.length === 0 ? {} : { conditions: all }),
    ...(paused.startTime === undefined ? {} : { startTime: paused.startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...withoutZeros({ active, ...numbers }),
    terminating,
    ...(indexes === undefined || indexes.size === 0 ? {} : { completedIndexes: formatIndexes(indexes) }),
    uncountedTerminatedPods: waiting,
    ready: Math.max(0, counts.active.filter(isReady).length - outcome.removed.filter(isReady).length),
  })
  const known = { succeeded: indexes?.size ?? job.status?.succeeded ?? 0, failed: job.status?.failed ?? 0 }
  const waiting = {
    ...(succeeded.length === 0 ? {} : { succeeded }),
    ...(failed.length === 0 ? {} : { failed }),
  }
  // Pods whose finalizer was already removed are counted with the others in the second write.
  const total = {
    succeeded: indexes === undefined ? known.succeeded + succeeded.length : known.succeeded,
    failed: known.failed + failed.length,
  }
  const finished = final !== undefined && terminating === 0
  const closing = finished ? ensure(conditions, final).list : conditions
  const completionTime = finished && final.type === 'Complete' ? (final.lastTransitionTime ?? '') : undefined
  return {
    before: statusWith(known, waiting, conditions),
    release,
    after: statusWith(total, {}, closing, completionTime),
    events: [...paused.events, ...(finished ? finishEvents(job, final, total.succeeded) : [])],
    finished,
  }
}
