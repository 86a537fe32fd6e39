/** Exponential back-off for replacing failed pods of a node: one second, doubled with each failure. */
import type { Clock } from '../../../runtime/index.ts'

const initialDelayMs = 1_000
const maxDelayMs = 15 * 60_000

export class BackOff {
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly delay: number; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records a failure. */
  next(key: string): void {
    const now = this.#clock.monotonic()
    const before = this.#entries.get(key)
    const isExpired = before === undefined || now - before.at > 2 * maxDelayMs
    this.#entries.set(key, { at: now, delay: isExpired ? initialDelayMs : Math.min(2 * before.delay, maxDelayMs) })
  }

  /** Milliseconds until the next replacement is allowed. */
  left(key: string): number {
    const entry = this.#entries.get(key)
    return entry === undefined ? 0 : Math.max(0, entry.at + entry.delay - this.#clock.monotonic())
  }
}
