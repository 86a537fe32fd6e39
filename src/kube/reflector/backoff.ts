/**
 * The wait after the n-th consecutive failure: capped exponential back-off with full jitter, so that many clients of a failed server do not return
 * at the same time.
 */
export interface BackoffLimits {
  /** The longest first wait in milliseconds. */
  readonly base: number
  /** The longest wait in milliseconds. */
  readonly cap: number
}

/** The limits of client-go's reflector. */
export const watchBackoff: BackoffLimits = { base: 800, cap: 30_000 }

/** `chance` is a random number in [0, 1); `failures` counts from 1. */
export function backoff(limits: BackoffLimits, failures: number, chance: number): number {
  const ceiling = Math.min(limits.cap, limits.base * 2 ** Math.min(failures - 1, 30))
  return ceiling * chance
}
