/** What follows a failed run of a script hook, by the failure policy that every surface has. */
import { type FailurePolicy, type NextStep, next } from '../../../hooks/index.ts'
import type { Task } from './task.ts'

export interface Retry {
  /** Milliseconds before the first retry. */
  readonly backoff: number
  /** Milliseconds, at most before any. */
  readonly maxBackoff: number
}

/** A binding with `allowFailure` ignores failures; every other is retried until it succeeds. */
function policyOf({ allowFailure }: Pick<Task<unknown>, 'allowFailure'>, retry: Retry): FailurePolicy {
  return allowFailure ? { kind: 'ignore' } : { kind: 'retry', ...retry }
}

/** `failures` counts the one at `failedAt`. */
export function afterFailure(
  task: Pick<Task<unknown>, 'allowFailure'>,
  retry: Retry,
  failures: number,
  failedAt = 0,
): NextStep {
  return next(policyOf(task, retry), failures, failedAt)
}

/** Milliseconds until the next attempt; 0 when there is none. */
export function retryDelay(task: Pick<Task<unknown>, 'allowFailure'>, retry: Retry, failures: number): number {
  const step = afterFailure(task, retry, failures)
  return step.do === 'retry' ? step.at : 0
}
