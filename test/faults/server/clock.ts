/** A clock whose timers fire only when the test says so, for a runtime with a real network. */
import type { Clock, Timer } from '../../../src/runtime/clock.ts'

interface Pending {
  readonly at: number
  readonly fire: () => void
}

export class ManualClock implements Clock {
  readonly #pending = new Set<Pending>()
  #elapsed = 0
  #wall = Date.UTC(2030, 0, 1)

  now(): number {
    return this.#wall + this.#elapsed
  }

  monotonic(): number {
    return this.#elapsed
  }

  after(delay: number, fire: () => void): Timer {
    const pending = { at: this.#elapsed + Math.max(0, delay), fire }
    this.#pending.add(pending)
    return { cancel: () => this.#pending.delete(pending) }
  }

  sleep(delay: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error)
        return
      }
      const abort = () => {
        timer.cancel()
        reject(signal?.reason as Error)
      }
      const timer = this.after(delay, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Sets the wall clock forward or back without firing timers. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds
  }

  /** Fires all timers that are due within `milliseconds`, in order. */
  advance(milliseconds: number): void {
    const until = this.#elapsed + milliseconds
    while (this.fireNext(until - this.#elapsed));
    this.#elapsed = until
  }

  /** Moves to the next timer if it is due within `limit` milliseconds. */
  fireNext(limit: number): boolean {
    let next: Pending | undefined
    for (const pending of this.#pending) if (next === undefined || pending.at < next.at) next = pending
    if (next === undefined || next.at > this.#elapsed + limit) return false
    this.#pending.delete(next)
    this.#elapsed = Math.max(this.#elapsed, next.at)
    next.fire()
    return true
  }
}
