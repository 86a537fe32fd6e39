/**
 * Quiet moments: for work that only tidies up, and would be in the way of what somebody waits for. One comes when nothing has stirred for a
 * while; who has waited long enough goes ahead without.
 */
import type { Clock } from '../../runtime/clock.ts'

/** Milliseconds without a stir that make a quiet moment. */
const quiet = 1_000
/** Milliseconds that nobody waits longer than. */
const patience = 10_000

export class Lull {
  readonly #clock: Clock
  readonly #hurry = new AbortController()
  #stirred = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something was done that somebody waits for, and more of it may follow. */
  stir(): void {
    this.#stirred = this.#clock.monotonic()
  }

  /** Resolves in a quiet moment. */
  async comes(): Promise<void> {
    const { signal } = this.#hurry
    const last = this.#clock.monotonic() + patience
    for (;;) {
      const left = Math.min(this.#stirred + quiet, last) - this.#clock.monotonic()
      if (left <= 0 || signal.aborted) return
      await this.#clock.sleep(left, signal).catch(() => undefined)
    }
  }

  /** From now on every moment will do, because the end is near. */
  hurry(): void {
    this.#hurry.abort()
  }
}
