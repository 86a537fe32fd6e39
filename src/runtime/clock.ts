/**
 * Time as a parameter: the only source of "now" and of waiting. Real time and virtual time implement it alike.
 */

/** Milliseconds since 1970-01-01T00:00:00Z, as `Date.now()` counts them. */
export type Instant = number

export interface Timer {
  /** Stops the timer; calling it again, or after the timer fired, does nothing. */
  cancel(): void
}

export interface Clock {
  /** Wall-clock time. May jump when the machine's clock is set. */
  now(): Instant
  /** Milliseconds from an arbitrary start, never going back: for durations and deadlines. */
  monotonic(): number
  /** Calls `fire` once after `delay` milliseconds of monotonic time (at the next turn when `delay` is 0 or less). */
  after(delay: number, fire: () => void): Timer
  /** Resolves after `delay` milliseconds; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>
}
