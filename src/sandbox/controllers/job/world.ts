/** The input of a Job's decision and the counts derived from it. */
import type { Job, Pod } from '../../../kube/kinds/index.ts'
import { isActive } from '../pods/state.ts'
import { parseIndexes } from './indexes.ts'
import { indexOf, isFailed, isIndexed, isTracked } from './pods.ts'
import { matchFailure } from './policy.ts'

export interface JobWorld {
  readonly job: Job
  readonly pods: readonly Pod[]
  /** Uids of pods whose finalizer is removed, but not yet in the cache. */
  readonly releasing: ReadonlySet<string>
  /** Failures since the last success, before this sync. */
  readonly failures: Failures
}

export interface Failures {
  readonly count: number
  readonly lastAt: number
}

export const noFailures: Failures = { count: 0, lastAt: 0 }

export interface JobCounts {
  readonly active: readonly Pod[]
  readonly newSucceeded: readonly Pod[]
  readonly newFailed: readonly Pod[]
  readonly succeededIndexes: ReadonlySet<number>
  readonly succeeded: number
  readonly failed: number
}

export const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''

export function isSuspended(job: Job): boolean {
  return job.spec.suspend === true
}

export function isJobFinished(job: Job): boolean {
  return (job.status?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
}

/** Finished pods that are not yet counted in the status. */
function uncounted(world: JobWorld, known: readonly string[], matches: (pod: Pod) => boolean): readonly Pod[] {
  const { job, pods, releasing } = world
  return pods.filter(
    (pod) =>
      isTracked(pod) &&
      !known.includes(uidOf(pod)) &&
      !releasing.has(uidOf(pod)) &&
      (!isIndexed(job) || indexOf(job, pod) !== undefined) &&
      matches(pod),
  )
}

export function countPods(world: JobWorld): JobCounts {
  const { job, pods } = world
  const { uncountedTerminatedPods: waiting = {}, completedIndexes, succeeded = 0, failed = 0 } = job.status ?? {}
  const newSucceeded = uncounted(world, waiting.succeeded ?? [], ({ status }) => status?.phase === 'Succeeded')
  const newFailed = uncounted(world, waiting.failed ?? [], (pod) => isFailed(job, pod))
  const counted = newFailed.filter((pod) => matchFailure(job, pod).counts).length
  const succeededIndexes = new Set(isIndexed(job) ? parseIndexes(completedIndexes, job.spec.completions ?? 0) : [])
  if (isIndexed(job)) {
    for (const pod of pods) {
      const index = pod.status?.phase === 'Succeeded' && isTracked(pod) ? indexOf(job, pod) : undefined
      if (index !== undefined) succeededIndexes.add(index)
    }
  }
  return {
    active: pods.filter(isActive),
    newSucceeded,
    newFailed,
    succeededIndexes,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : succeeded + newSucceeded.length + (waiting.succeeded?.length ?? 0),
    failed: failed + counted + (waiting.failed?.length ?? 0),
  }
}
