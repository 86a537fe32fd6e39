/**
 * Faults as data: what goes wrong at which request. A plan can be written down, drawn from a seed, or enumerated write by write.
 */

/** Which requests a fault concerns. All given conditions must hold. */
export interface RequestMatch {
  readonly method?: string
  /** A part of path and query, for example `/pods` or `watch=true`. */
  readonly contains?: string
  /** The first matching request that is hit, counted from 1. @default 1 */
  readonly from?: number
  /** How many are hit. @default 1 */
  readonly count?: number
}

export type Fault =
  /** Halts a domain before or after the n-th write (POST, PUT, PATCH, DELETE) reaches the server, counted from 1. */
  | { readonly kind: 'stop'; readonly domain: string; readonly when: 'before' | 'after'; readonly write: number }
  /** Breaks the connection once the answer's first bytes have gone out; 0 breaks it after the work is done, before any answer. */
  | { readonly kind: 'drop'; readonly match: RequestMatch; readonly afterBytes: number }
  /** Holds back the answer, and every part of a streamed one. */
  | { readonly kind: 'delay'; readonly match: RequestMatch; readonly milliseconds: number }
  /** Gives the answer that the same path got the given number of answers ago (the oldest known, if there are fewer). */
  | { readonly kind: 'stale'; readonly match: RequestMatch; readonly back: number }
  /** Answers in the server's place, which never sees the request. Without `body` a Status of the Kubernetes API. */
  | {
      readonly kind: 'answer'
      readonly match: RequestMatch
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }

export type FaultPlan = readonly Fault[]
