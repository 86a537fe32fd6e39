/**
 * The clock of all bookmarks: it strikes once a minute for every watch that wants them, rather than once for each. At rest a cluster has
 * dozens of watches and nothing else to do.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts'

/** Milliseconds between bookmarks. */
const interval = 60_000

export class Bookmarks {
  readonly #clock: Clock
  readonly #marks = new Set<() => void>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `mark` from now on, the first time within the interval; the answer ends it. */
  follow(mark: () => void): () => void {
    this.#marks.add(mark)
    this.#timer ??= this.#clock.after(interval, () => this.#strike())
    return () => {
      this.#marks.delete(mark)
      if (this.#marks.size > 0) return
      this.#timer?.cancel()
      this.#timer = undefined
    }
  }

  #strike(): void {
    this.#timer = this.#clock.after(interval, () => this.#strike())
    for (const mark of [...this.#marks]) mark()
  }
}
