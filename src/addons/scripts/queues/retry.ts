/** How long a failed run waits for its next try. */
import { next } from '../../../hooks/index.ts'

export interface Retry {
  /** Milliseconds before the first retry. */
  readonly backoff: number
  /** Milliseconds, at most before any. */
  readonly maxBackoff: number
}

/** Milliseconds; `failures` counts the one that just happened. */
export function retryDelay(retry: Retry, failures: number): number {
  const step = next({ kind: 'retry', ...retry }, failures, 0)
  return step.do === 'retry' ? step.at : 0
}
