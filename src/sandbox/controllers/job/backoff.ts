/** Exponential back-off of a Job after failed pods: 10 s, 20 s, 40 s … up to 10 minutes after the last failure. */

import type { Pod } from '../../../kube/kinds/index.ts'
import { type Instant, largest } from '../../../runtime/index.ts'
import { finishedAt } from './pods.ts'
import { type Failures, noFailures } from './world.ts'

const initialDelayMs = 10_000
const maxDelayMs = 10 * 60_000

/** The failures since the last success, updated with newly finished pods. */
export function afterPods(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  if (failed.length === 0) return succeeded.length === 0 ? before : noFailures
  const lastSuccess = succeeded.length === 0 ? undefined : largest(succeeded.map(finishedAt))
  const later = failed.map(finishedAt).filter((at) => lastSuccess === undefined || at > lastSuccess)
  if (later.length === 0) return noFailures
  const count = later.length + (lastSuccess === undefined ? before.count : 0)
  return { count, lastAt: largest(later) }
}

export function backOffLeft({ count, lastAt }: Failures, now: Instant): number {
  if (count === 0) return 0
  const wait = Math.min(initialDelayMs * 2 ** Math.min(count - 1, 30), maxDelayMs)
  return Math.max(0, lastAt + wait - now)
}
