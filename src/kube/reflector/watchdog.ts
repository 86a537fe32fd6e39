/**
 * Notices that nothing was heard for too long. A dead connection looks exactly like a quiet one; asking again from the last version
 * costs one request and loses nothing.
 */
import type { Clock, Timer } from '../../runtime/clock.ts'

export class Watchdog {
  readonly #clock: Clock
  readonly #limit: number
  readonly #bark: () => void
  #heard: number
  #timer: Timer

  constructor(clock: Clock, limit: number, bark: () => void) {
    this.#clock = clock
    this.#limit = limit
    this.#bark = bark
    this.#heard = clock.monotonic()
    this.#timer = clock.after(limit, () => this.#check())
  }

  /** Cheap on purpose: it is called for every event, so the timer is only looked at when it fires. */
  hear(): void {
    this.#heard = this.#clock.monotonic()
  }

  stop(): void {
    this.#timer.cancel()
  }

  #check(): void {
    const left = this.#heard + this.#limit - this.#clock.monotonic()
    if (left <= 0) this.#bark()
    else this.#timer = this.#clock.after(left, () => this.#check())
  }
}
