/**
 * Work without a deadline (events, journal, removal of old objects), paced by the latency of the server: after each task comes a pause nine
 * times as long as the task took beyond 10 ms. A rate limit spreads bursts over time, because they coincide with bursts of reconciles.
 */
import type { Clock } from '../../runtime/index.ts'
import { RateLimiter, type Turn } from '../client/ratelimit.ts'

/** Tasks up to this long are followed by no pause: the server has little to do. */
const fastTaskMs = 10
const pauseFactor = 9
const maxPauseMs = 2_000
const rateLimit = { burst: 30, qps: 10 }
const drainConcurrency = 16

export class BackgroundQueue {
  readonly #clock: Clock
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #draining = new AbortController()
  readonly #turn: Turn
  #concurrency: number
  #running = 0

  constructor(clock: Clock, concurrency = 1) {
    this.#clock = clock
    this.#concurrency = concurrency
    this.#turn = new RateLimiter(clock, rateLimit).turnOf('background')
  }

  /** Settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(async () => {
        try {
          resolve(await task())
        } catch (error) {
          reject(error)
        }
      })
      this.#startWorkers()
    })
  }

  /** For shutdown: present and future tasks run without pauses and rate limit. */
  drain(): void {
    this.#concurrency = drainConcurrency
    this.#draining.abort()
    this.#startWorkers()
  }

  #startWorkers(): void {
    while (this.#running < this.#concurrency && this.#waiting.length > 0) void this.#work()
  }

  async #work(): Promise<void> {
    this.#running++
    const { signal } = this.#draining
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      if (!signal.aborted) await this.#turn(signal).catch(() => undefined)
      const started = this.#clock.monotonic()
      await task()
      await this.#pause(this.#clock.monotonic() - started)
    }
    this.#running--
  }

  async #pause(taskMs: number): Promise<void> {
    const { signal } = this.#draining
    const pauseMs = Math.min(maxPauseMs, (taskMs - fastTaskMs) * pauseFactor)
    if (pauseMs > 0 && !signal.aborted) await this.#clock.sleep(pauseMs, signal).catch(() => undefined)
  }
}
