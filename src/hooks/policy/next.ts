/** What follows the end of a failed attempt. The same for every surface; only the defaults differ. */
import type { Instant } from '../../runtime/index.ts'

export type FailurePolicy =
  | { readonly kind: 'abort' }
  | { readonly kind: 'ignore' }
  | {
      readonly kind: 'retry'
      /** Attempts after the first one. @default unlimited */
      readonly limit?: number
      /** Milliseconds before the second attempt; doubled with each further one. */
      readonly backoff: number
      readonly maxBackoff: number
      /** What follows when the limit is reached. @default 'abort' */
      readonly atLimit?: 'abort' | 'proceed'
    }

export type NextStep =
  | { readonly do: 'proceed' }
  | { readonly do: 'abort' }
  | { readonly do: 'retry'; readonly at: Instant }

/** What follows after `attempts` attempts, the last of which failed at `failedAt`. */
export function next(policy: FailurePolicy, attempts: number, failedAt: Instant): NextStep {
  switch (policy.kind) {
    case 'abort':
      return { do: 'abort' }
    case 'ignore':
      return { do: 'proceed' }
    case 'retry':
      if (policy.limit !== undefined && attempts > policy.limit) return { do: policy.atLimit ?? 'abort' }
      return { do: 'retry', at: failedAt + Math.min(policy.maxBackoff, policy.backoff * 2 ** (attempts - 1)) }
  }
}
