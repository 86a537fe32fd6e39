/**
 * How long to wait after the n-th failure in a row: capped exponential growth with full jitter, so that many clients that lost the
 * same server do not come back in step. Knows nothing of clocks.
 */
export interface BackoffLimits {
  /** Milliseconds the first wait may reach. */
  readonly base: number
  /** Milliseconds no wait exceeds. */
  readonly cap: number
}

/** The same limits as client-go's reflector: quick enough for a blip, gentle enough for an outage. */
export const watchBackoff: BackoffLimits = { base: 800, cap: 30_000 }

/** `chance` is a random number in [0, 1); `failures` counts from 1. */
export function backoff(limits: BackoffLimits, failures: number, chance: number): number {
  const ceiling = Math.min(limits.cap, limits.base * 2 ** Math.min(failures - 1, 30))
  return ceiling * chance
}
