/** Faults as data: what fails at which request. A plan can be written by hand, drawn from a seed, or enumerated write by write. */

/** The requests a fault applies to. All given conditions must match. */
export interface RequestMatch {
  readonly method?: string
  /** A part of path and query, for example `/pods` or `watch=true`. */
  readonly contains?: string
  /** The first matching request that fails, counted from 1. @default 1 */
  readonly from?: number
  /** How many requests fail. @default 1 */
  readonly count?: number
}

export type Fault =
  /** Halts a domain before or after the n-th write (POST, PUT, PATCH, DELETE) reaches the server, counted from 1. */
  | { readonly kind: 'stop'; readonly domain: string; readonly when: 'before' | 'after'; readonly write: number }
  /** Breaks the connection after this many bytes of the response; 0 breaks it after the server has done the work and before the response. */
  | { readonly kind: 'drop'; readonly match: RequestMatch; readonly afterBytes: number }
  /** Delays the response, and every chunk of a streamed one. */
  | { readonly kind: 'delay'; readonly match: RequestMatch; readonly milliseconds: number }
  /** Repeats an earlier response for the same path: `back` responses ago, or the oldest known one. */
  | { readonly kind: 'stale'; readonly match: RequestMatch; readonly back: number }
  /** Responds instead of the server, which never sees the request. Without `body`, the response is a Status of the Kubernetes API. */
  | {
      readonly kind: 'answer'
      readonly match: RequestMatch
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }

export type FaultPlan = readonly Fault[]
