/**
 * Hooks that wait for a person's decision. The decision is an annotation of the object the hook belongs to. Its key contains the attempt, so an
 * old decision never counts for a new request, and no process has to run when the decision is written.
 */
import type { Clock, Instant } from '../../runtime/index.ts'
import type { ApprovalAction } from '../action/index.ts'
import type { LogLine } from '../logs/index.ts'
import type { Observation } from '../outcome/index.ts'
import type { Run } from '../run/index.ts'
import type { Executor, Started } from './executor.ts'

export const approvalPrefix = 'approval.carabiner.dev/'

export type ApprovalDecision = 'approved' | 'rejected'

export interface ApprovalRequest extends ApprovalAction {
  readonly since: Instant
}

export function approvalAnnotation({ lifecycle, hook, attempt }: Pick<Run, 'lifecycle' | 'hook' | 'attempt'>): string {
  return `${approvalPrefix}${lifecycle}.${hook}.${attempt}`
}

/** `decision` is the value of the annotation; any value that is no decision counts as none. */
export function observeApproval(decision: string | undefined, request: ApprovalRequest, now: Instant): Observation {
  const { since, timeoutSeconds, onTimeout } = request
  if (decision === 'approved') return { state: 'succeeded', at: now, message: 'approved' }
  if (decision === 'rejected')
    return { state: 'failed', at: now, reason: 'Rejected', message: 'the approval was rejected' }
  if (timeoutSeconds === undefined) return { state: 'running', since }
  const until = since + timeoutSeconds * 1000
  if (until > now) return { state: 'running', since, until }
  const message = `no decision within ${timeoutSeconds} s`
  if (onTimeout === 'Approve') return { state: 'succeeded', at: until, message: `approved: ${message}` }
  return { state: 'failed', at: until, reason: 'Timeout', message }
}

/** Where the surface keeps its requests and people their decisions. */
export interface ApprovalRecords {
  /** Stores the request; a request of the same run stays as it is. */
  store(run: Run, request: ApprovalRequest): Promise<void>
  requested(run: Run): ApprovalRequest | undefined
  decision(run: Run): string | undefined
  withdraw(run: Run): Promise<void>
}

/** Nothing runs: a request is stored, and a decision read. */
export class ApprovalExecutor implements Executor<ApprovalAction> {
  readonly family = 'awaited'
  readonly #records: ApprovalRecords
  readonly #clock: Pick<Clock, 'now'>

  constructor(records: ApprovalRecords, clock: Pick<Clock, 'now'>) {
    this.#records = records
    this.#clock = clock
  }

  async start(run: Run, action: ApprovalAction): Promise<Started> {
    if (this.#records.requested(run) === undefined)
      await this.#records.store(run, { ...action, since: this.#clock.now() })
    return 'started'
  }

  observe(run: Run): Observation {
    const request = this.#records.requested(run)
    if (request === undefined) return { state: 'absent' }
    return observeApproval(this.#records.decision(run), request, this.#clock.now())
  }

  async cancel(run: Run): Promise<void> {
    if (this.#records.requested(run) !== undefined) await this.#records.withdraw(run)
  }

  async *logs(): AsyncIterable<LogLine> {}
}
