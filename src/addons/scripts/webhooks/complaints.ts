/** Failures in the log, the same one once a minute: an API server asks ten times a second for a conversion that its own watches need. */
import type { Clock } from '../../../runtime/clock.ts'
import type { LogFields, Logger } from '../../../runtime/log.ts'

/** Milliseconds. */
const silence = 60_000

export class Complaints {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #told = new Map<string, number>()

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock
    this.#log = log
  }

  error(message: string, fields: LogFields): void {
    const now = this.#clock.monotonic()
    for (const [key, at] of this.#told) if (now - at >= silence) this.#told.delete(key)
    const key = JSON.stringify([message, fields])
    if (this.#told.has(key)) return
    this.#told.set(key, now)
    this.#log.error(message, fields)
  }
}
