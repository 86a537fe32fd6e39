/**
 * A client-side rate limit: a token bucket. When it is empty the surfaces take turns, so that a surface with a thousand waiting requests delays
 * another one by one request, not by a thousand.
 */
import type { Clock } from '../../runtime/index.ts'

export interface RateLimit {
  /** Requests per second in the long run; a negative number means no limit, as in client-go. */
  readonly qps: number
  /** Requests that may be sent at once after an idle period. */
  readonly burst: number
}

/** Generous, because the server has its own priority and fairness; this only keeps a defect of ours from flooding it. */
export const defaultRateLimit: RateLimit = { qps: 100, burst: 200 }

/** Resolves when the caller may send one request; rejects with the signal's reason. */
export type Turn = (signal?: AbortSignal) => Promise<void>

export const unlimited: Turn = () => Promise.resolve()

interface Waiter {
  readonly go: () => void
}

export class RateLimiter {
  readonly #clock: Clock
  readonly #limit: RateLimit
  /** Surfaces with waiting requests; the first one is served next. */
  readonly #waiting = new Map<string, Set<Waiter>>()
  #tokens: number
  #filledAt: number
  #timerSet = false

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock
    this.#limit = limit
    this.#tokens = limit.burst
    this.#filledAt = clock.monotonic()
  }

  turnOf(surface: string): Turn {
    if (this.#limit.qps < 0) return unlimited
    return (signal) => {
      this.#refill()
      if (this.#waiting.size === 0 && this.#tokens >= 1) {
        this.#tokens -= 1
        return Promise.resolve()
      }
      return this.#wait(surface, signal)
    }
  }

  #wait(surface: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(surface) ?? new Set<Waiter>()
      this.#waiting.set(surface, queue)
      const waiter: Waiter = {
        go: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      const leave = () => {
        queue.delete(waiter)
        if (queue.size === 0) this.#waiting.delete(surface)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.add(waiter)
      this.#schedule()
    })
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    const fresh = ((now - this.#filledAt) * this.#limit.qps) / 1000
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + fresh)
    this.#filledAt = now
  }

  #schedule(): void {
    if (this.#timerSet || this.#waiting.size === 0) return
    this.#timerSet = true
    const delay = Math.ceil(((1 - this.#tokens) * 1000) / this.#limit.qps)
    this.#clock.after(Math.max(delay, 1), () => {
      this.#timerSet = false
      this.#refill()
      while (this.#tokens >= 1 && this.#serveNext()) this.#tokens -= 1
      this.#schedule()
    })
  }

  /** Serves the first waiter of the first surface and moves that surface to the end. */
  #serveNext(): boolean {
    for (const [surface, queue] of this.#waiting) {
      this.#waiting.delete(surface)
      for (const waiter of queue) {
        queue.delete(waiter)
        if (queue.size > 0) this.#waiting.set(surface, queue)
        waiter.go()
        return true
      }
    }
    return false
  }
}
