/** Decides when a CronJob starts a Job and which of its Jobs are deleted. */
import type { Schedule } from '../../../cron/index.ts'
import type { CronJob, Job } from '../../../kube/kinds/index.ts'
import { type Instant, largest } from '../../../runtime/index.ts'
import { instantOf, timestamp } from '../../kinds/time.ts'
import { type EventWrite, event } from '../decisions/decision.ts'
import { isJobFinished } from '../job/world.ts'

export interface CronWorld {
  readonly cronJob: CronJob
  readonly schedule: Schedule
  /** The Jobs it controls. */
  readonly jobs: readonly Job[]
}

export interface CronDecision {
  readonly events: readonly EventWrite[]
  readonly remove: readonly Job[]
  /** The scheduled time of the Job to start. */
  readonly start?: Instant
  readonly status: NonNullable<CronJob['status']>
  readonly requeueAfterMs?: number
}

/** Requeue slightly late, so that the scheduled time has passed. */
const requeueSlackMs = 100

function endOf(job: Job): { readonly type: string; readonly at: Instant } | undefined {
  const condition = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  return condition && { type: condition.type, at: instantOf(condition.lastTransitionTime) ?? 0 }
}

/** Finished Jobs beyond the limits, oldest first. */
function beyondHistory({ cronJob, jobs }: CronWorld): readonly Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec
  const oldest = (type: string, limit: number) => {
    const ended = jobs.filter((job) => endOf(job)?.type === type && job.metadata.deletionTimestamp === undefined)
    ended.sort((one, other) => (instantOf(one.status?.startTime) ?? 0) - (instantOf(other.status?.startTime) ?? 0))
    return ended.slice(0, Math.max(0, ended.length - limit))
  }
  return [...oldest('Complete', successfulJobsHistoryLimit), ...oldest('Failed', failedJobsHistoryLimit)]
}

/** The most recent scheduled time without a Job, and the next scheduled time. */
function dueTimes({ cronJob, schedule }: CronWorld, now: Instant): { due?: Instant; next?: Instant } {
  const { metadata, status, spec } = cronJob
  let from = instantOf(status?.lastScheduleTime) ?? instantOf(metadata.creationTimestamp) ?? now
  if (spec.startingDeadlineSeconds !== undefined) from = Math.max(from, now - spec.startingDeadlineSeconds * 1000)
  let due: Instant | undefined
  let next = schedule.next(from)
  while (next !== undefined && next <= now) {
    due = next
    next = schedule.next(next)
  }
  return { ...(due === undefined ? {} : { due }), ...(next === undefined ? {} : { next }) }
}

function activeReferences({ cronJob, jobs }: CronWorld, removed: readonly Job[]) {
  const known = cronJob.status?.active ?? []
  const running = jobs.filter((job) => !isJobFinished(job) && !removed.includes(job))
  const kept = known.filter(({ uid }) => running.some(({ metadata }) => metadata.uid === uid))
  const ended = known.flatMap(({ uid }) => jobs.filter((job) => job.metadata.uid === uid && isJobFinished(job)))
  return { kept, ended, running }
}

export function jobReference({ metadata }: Job): Record<string, string> {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata
  return { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion }
}

export function decideCron(world: CronWorld, now: Instant): CronDecision {
  const { cronJob, jobs } = world
  const events: EventWrite[] = []
  const remove = [...beyondHistory(world)]
  const { kept, ended, running } = activeReferences(world, remove)
  for (const job of ended) {
    events.push(
      event(
        cronJob,
        'Normal',
        'SawCompletedJob',
        `Saw completed job: ${job.metadata.name}, condition: ${endOf(job)?.type}`,
      ),
    )
  }
  const successes = jobs.map(endOf).flatMap((end) => (end?.type === 'Complete' ? [end.at] : []))
  const lastSuccess = Math.max(instantOf(cronJob.status?.lastSuccessfulTime) ?? 0, largest(successes))
  const { lastScheduleTime } = cronJob.status ?? {}
  const status = {
    ...(kept.length === 0 ? {} : { active: kept }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccess === 0 ? {} : { lastSuccessfulTime: timestamp(lastSuccess) }),
  }
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true)
    return { events, remove, status }
  const { due, next } = dueTimes(world, now)
  const wake = next === undefined ? {} : { requeueAfterMs: next - now + requeueSlackMs }
  if (due === undefined) return { events, remove, status, ...wake }
  const policy = cronJob.spec.concurrencyPolicy
  if (policy === 'Forbid' && running.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    events.push(event(cronJob, 'Normal', 'JobAlreadyActive', message))
    return { events, remove, status, ...wake }
  }
  if (policy !== 'Replace') return { events, remove, start: due, status, ...wake }
  return { events, remove: [...remove, ...running], start: due, status: { ...status, active: [] }, ...wake }
}
