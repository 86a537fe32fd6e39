/**
 * One exchange with the server under a watchdog: its signal aborts when whoever asked stops, when the exchange is hung up, or when
 * nothing was heard for too long. A dead connection looks exactly like a quiet one, and only time tells them apart.
 */
import type { Clock, Timer } from '../runtime/clock.ts'

export class Exchange {
  readonly #clock: Clock
  readonly #limit: number
  readonly #controller = new AbortController()
  readonly #parent: AbortSignal
  readonly #stop = () => this.#controller.abort(this.#parent.reason)
  #heard: number
  #timer: Timer
  #silent = false

  /** `limit`: milliseconds of silence until the exchange counts as dead. */
  constructor(clock: Clock, parent: AbortSignal, limit: number) {
    this.#clock = clock
    this.#limit = limit
    this.#parent = parent
    this.#heard = clock.monotonic()
    this.#timer = clock.after(limit, () => this.#check())
    if (parent.aborted) this.#stop()
    else parent.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether it was silence that ended the exchange. */
  get silent(): boolean {
    return this.#silent
  }

  /** Cheap on purpose: it is called for every event, so the timer is only looked at when it fires. */
  hear(): void {
    this.#heard = this.#clock.monotonic()
  }

  /** Ends the exchange if it still goes on; to be called in any case. */
  hangUp(): void {
    this.#timer.cancel()
    this.#parent.removeEventListener('abort', this.#stop)
    this.#controller.abort(new Error('hung up'))
  }

  #check(): void {
    const left = this.#heard + this.#limit - this.#clock.monotonic()
    if (left > 0) this.#timer = this.#clock.after(left, () => this.#check())
    else {
      this.#silent = true
      this.#controller.abort(new Error(`nothing heard from the server for ${this.#limit} ms`))
    }
  }
}
