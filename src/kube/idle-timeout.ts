/**
 * A signal for one request that aborts when the caller's signal aborts or when the server sends nothing for too long. A dead connection looks
 * like an idle one; only a timeout tells them apart.
 */
import type { Clock, Timer } from '../runtime/index.ts'

export class IdleTimeout {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #controller = new AbortController()
  readonly #parent: AbortSignal
  readonly #onParentAbort = () => this.#controller.abort(this.#parent.reason)
  #lastActivity: number
  #timer: Timer
  #isExpired = false

  constructor(clock: Clock, parent: AbortSignal, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#parent = parent
    this.#lastActivity = clock.monotonic()
    this.#timer = clock.after(timeoutMs, () => this.#check())
    if (parent.aborted) this.#onParentAbort()
    else parent.addEventListener('abort', this.#onParentAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the request ended because the server sent nothing for too long. */
  get isExpired(): boolean {
    return this.#isExpired
  }

  /** The server sent something. Called for every event, so it only notes the time and leaves the timer alone. */
  reset(): void {
    this.#lastActivity = this.#clock.monotonic()
  }

  /** Aborts the request if it is still running; must be called in any case. */
  end(): void {
    this.#timer.cancel()
    this.#parent.removeEventListener('abort', this.#onParentAbort)
    this.#controller.abort(new Error('the request has ended'))
  }

  #check(): void {
    const left = this.#lastActivity + this.#timeoutMs - this.#clock.monotonic()
    if (left > 0) this.#timer = this.#clock.after(left, () => this.#check())
    else {
      this.#isExpired = true
      this.#controller.abort(new Error(`the server sent nothing for ${this.#timeoutMs} ms`))
    }
  }
}
