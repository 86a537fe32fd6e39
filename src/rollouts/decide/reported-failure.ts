/** What a Deployment reports of a failed rollout in its condition Progressing; native controllers do not update it while it is paused. */

import type { Instant } from '../../runtime/index.ts'
import { holdLabel } from '../labels.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import type { Proposal } from './decision.ts'

/** Whether a held Deployment still reports how an earlier rollout failed. */
export function isFailureStillReported(workload: Workload): boolean {
  const { metadata, spec } = workload as Deployment
  const isHeld = metadata.labels?.[holdLabel] !== undefined && spec.paused === true
  return workload.kind === 'Deployment' && isHeld && isFailureReported(workload)
}

export function isFailureReported({ status }: Workload): boolean {
  const conditions = status?.conditions ?? []
  return conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
}

export function decideFailureStillReported(now: Instant): Proposal {
  return { gate: { kind: 'report-paused', at: now }, why: 'what failed before does not count any more' }
}
