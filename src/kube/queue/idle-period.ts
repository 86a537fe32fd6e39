/**
 * Delays clean-up until other work pauses: `wait` resolves after a second without `reset`, and after ten seconds in any case.
 */
import type { Clock } from '../../runtime/index.ts'

/** Time without a `reset` that counts as idle. */
const idleAfterMs = 1_000
const maxWaitMs = 10_000

export class IdlePeriod {
  readonly #clock: Clock
  readonly #skipped = new AbortController()
  #lastReset = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Work was done that more work is likely to follow: the idle period starts again. */
  reset(): void {
    this.#lastReset = this.#clock.monotonic()
  }

  async wait(): Promise<void> {
    const { signal } = this.#skipped
    const deadline = this.#clock.monotonic() + maxWaitMs
    for (;;) {
      const left = Math.min(this.#lastReset + idleAfterMs, deadline) - this.#clock.monotonic()
      if (left <= 0 || signal.aborted) return
      await this.#clock.sleep(left, signal).catch(() => undefined)
    }
  }

  /** For shutdown: every `wait`, present and future, resolves at once. */
  skip(): void {
    this.#skipped.abort()
  }
}
