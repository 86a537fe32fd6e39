/**
 * Work that nobody waits for: a piece at a time, and after each a pause that is longer the longer it took. A server with nothing else to do
 * is asked again at once; one that is slow to answer is left to those who do wait. A flood of it is spread over time, for it comes with a
 * flood of work that somebody does wait for.
 */
import type { Clock } from '../../runtime/clock.ts'
import { RateLimiter, type Turn } from '../client/ratelimit.ts'

/** Milliseconds that a piece of work takes on a server with little to do. */
const quick = 10
/** Pauses are so many times as long as the time beyond that. */
const pauses = 9
const longestPause = 2_000
/** Pieces of work without more ado after a quiet time, and then so many a second. */
const pace = { burst: 30, qps: 10 }
/** Pieces of work at a time when there is no time left. */
const mostInHurry = 16

export class Leisure {
  readonly #clock: Clock
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #hurry = new AbortController()
  readonly #turn: Turn
  #most: number
  #working = 0

  /** `most` pieces of work at a time. */
  constructor(clock: Clock, most = 1) {
    this.#clock = clock
    this.#most = most
    this.#turn = new RateLimiter(clock, pace).turnOf('leisure')
  }

  do<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      })
      this.#begin()
    })
  }

  /** From now on without pauses, because the end is near. */
  hurry(): void {
    this.#most = mostInHurry
    this.#hurry.abort()
    this.#begin()
  }

  #begin(): void {
    while (this.#working < this.#most && this.#waiting.length > 0) void this.#work()
  }

  async #work(): Promise<void> {
    this.#working++
    const { signal } = this.#hurry
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!signal.aborted) await this.#turn(signal).catch(() => undefined)
      const begun = this.#clock.monotonic()
      await next()
      await this.#pause(this.#clock.monotonic() - begun)
    }
    this.#working--
  }

  async #pause(after: number): Promise<void> {
    const { signal } = this.#hurry
    const pause = Math.min(longestPause, (after - quick) * pauses)
    if (pause > 0 && !signal.aborted) await this.#clock.sleep(pause, signal).catch(() => undefined)
  }
}
