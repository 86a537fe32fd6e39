/**
 * How long the failed pods of a node are left alone before they are replaced: a second at first, twice as long each time.
 */
import type { Clock } from '../../../runtime/clock.ts'

const first = 1_000
const longest = 15 * 60_000

export class BackOff {
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly delay: number; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one more failure. */
  next(key: string): void {
    const now = this.#clock.monotonic()
    const before = this.#entries.get(key)
    const forgotten = before === undefined || now - before.at > 2 * longest
    this.#entries.set(key, { at: now, delay: forgotten ? first : Math.min(2 * before.delay, longest) })
  }

  /** Milliseconds until the next replacement is allowed. */
  left(key: string): number {
    const entry = this.#entries.get(key)
    return entry === undefined ? 0 : Math.max(0, entry.at + entry.delay - this.#clock.monotonic())
  }
}
