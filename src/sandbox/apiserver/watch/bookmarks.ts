/**
 * One timer for the bookmarks of all watches: an idle cluster has dozens of watches, and one timer each would be its
 * main load.
 */
import type { Clock, Timer } from '../../../runtime/index.ts'

const bookmarkIntervalMs = 60_000

export class Bookmarks {
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `listener` every interval, the first time within one interval; the returned function unsubscribes. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= this.#clock.after(bookmarkIntervalMs, () => this.#fire())
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#timer?.cancel()
      this.#timer = undefined
    }
  }

  #fire(): void {
    this.#timer = this.#clock.after(bookmarkIntervalMs, () => this.#fire())
    for (const listener of [...this.#listeners]) listener()
  }
}
