/**
 * Logs the same failure at most once a minute, because an API server repeats a failed conversion for its own watches ten times a second.
 */
import type { Clock, LogFields, Logger } from '../../../runtime/index.ts'

const repeatIntervalMs = 60_000

export class FailureLog {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #logged = new Map<string, number>()

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock
    this.#log = log
  }

  error(message: string, fields: LogFields): void {
    const now = this.#clock.monotonic()
    for (const [key, at] of this.#logged) if (now - at >= repeatIntervalMs) this.#logged.delete(key)
    const key = JSON.stringify([message, fields])
    if (this.#logged.has(key)) return
    this.#logged.set(key, now)
    this.#log.error(message, fields)
  }
}
