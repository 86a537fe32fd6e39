/**
 * What the end of a failed attempt means, for every surface alike; only the defaults differ.
 */
import type { Instant } from '../../runtime/clock.ts'

export type FailurePolicy =
  | { readonly kind: 'abort' }
  | { readonly kind: 'ignore' }
  | {
      readonly kind: 'retry'
      /** Attempts after the first one; without a limit it is tried for ever. */
      readonly limit?: number
      readonly backoff: number
      readonly maxBackoff: number
      /** What follows when the limit is reached. @default 'abort' */
      readonly atLimit?: 'abort' | 'proceed'
    }

export type NextStep =
  | { readonly do: 'proceed' }
  | { readonly do: 'abort' }
  | { readonly do: 'retry'; readonly at: Instant }

/** After `attempts` attempts, the last of which failed at `failedAt`. */
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
