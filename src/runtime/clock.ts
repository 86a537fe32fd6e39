/**
 * The only source of the current time and of timers. It is passed in as a parameter and implemented by real time and by virtual time.
 */

/** Milliseconds since 1970-01-01T00:00:00Z, as `Date.now()` counts them. */
export type Instant = number

export interface Timer {
  /** Stops the timer; a no-op when it was stopped or has fired. */
  cancel(): void
}

export interface Clock {
  /** Wall-clock time. May jump when the machine's clock is set. */
  now(): Instant
  /** Milliseconds since an arbitrary start; never decreases: for durations and deadlines. */
  monotonic(): number
  /** Calls `fire` once after `delay` milliseconds of monotonic time (at the next turn when `delay` is 0 or less). */
  after(delay: number, fire: () => void): Timer
  /** Resolves after `delay` milliseconds; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>
}
