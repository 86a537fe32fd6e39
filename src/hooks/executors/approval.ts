/**
 * Hooks that wait for a person. The answer is an annotation of the object the hook belongs to, named after the run it answers, so that
 * an old answer never counts for a new request and nobody has to be there when it is given.
 */
import type { Instant } from '../../runtime/clock.ts'
import type { Observation } from '../outcome/index.ts'
import type { Run } from '../run/index.ts'

export const approvalPrefix = 'approval.carabiner.dev/'

export type ApprovalDecision = 'approved' | 'rejected'

export interface ApprovalRequest {
  readonly since: Instant
  readonly timeoutSeconds?: number
  /** What the end of the time means. @default Fail */
  readonly onTimeout?: 'Approve' | 'Fail'
}

export function approvalAnnotation({ lifecycle, hook, attempt }: Pick<Run, 'lifecycle' | 'hook' | 'attempt'>): string {
  return `${approvalPrefix}${lifecycle}.${hook}.${attempt}`
}

export function observeApproval(answer: string | undefined, request: ApprovalRequest, now: Instant): Observation {
  const { since, timeoutSeconds, onTimeout } = request
  if (answer === 'approved') return { state: 'succeeded', at: now, message: 'approved' }
  if (answer === 'rejected') return { state: 'failed', at: now, reason: 'Rejected', message: 'somebody said no' }
  if (timeoutSeconds === undefined) return { state: 'running', since }
  const until = since + timeoutSeconds * 1000
  if (until > now) return { state: 'running', since, until }
  const silence = `nobody answered within ${timeoutSeconds} s`
  if (onTimeout === 'Approve') return { state: 'succeeded', at: until, message: `approved: ${silence}` }
  return { state: 'failed', at: until, reason: 'Timeout', message: silence }
}
