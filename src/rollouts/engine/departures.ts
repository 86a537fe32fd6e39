/**
 * The pods that this very process has deleted, until the caches show it. A cache that is behind shows them as if they still served, and then
 * more would be taken away than may be missing.
 */
import type { Clock, Instant } from '../../runtime/clock.ts'

/** Milliseconds after which every cache has shown it. */
const longest = 600_000

export class Departures {
  readonly #clock: Clock
  readonly #since = new Map<string, Instant>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(uid: string): void {
    const now = this.#clock.now()
    for (const [known, since] of this.#since) if (since + longest < now) this.#since.delete(known)
    this.#since.set(uid, now)
  }

  has(uid: string): boolean {
    return this.#since.has(uid)
  }
}
