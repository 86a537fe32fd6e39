/**
 * When a failed key is retried: the later of its own back-off, which doubles with every failure, and a token bucket shared by all keys.
 */
import { checkMs } from '../../runtime/index.ts'

export interface RateLimits {
  /** Milliseconds before a key's first retry. @default 5 */
  readonly base?: number
  /** The longest back-off of a key in milliseconds. @default 1_000_000 */
  readonly cap?: number
  /** Retries per second over all keys. @default 10 */
  readonly rate?: number
  /** Retries at once before `rate` applies. @default 100 */
  readonly burst?: number
}

export class RateLimiter {
  readonly #failures = new Map<string, number>()
  readonly #limits: Required<RateLimits>
  readonly #monotonic: () => number
  #tokens: number
  #filled: number

  /** The defaults are those of client-go's controllers. */
  constructor(limits: RateLimits, monotonic: () => number) {
    checkMs(limits, ['base', 'cap'])
    this.#limits = { base: 5, cap: 1_000_000, rate: 10, burst: 100, ...limits }
    this.#monotonic = monotonic
    this.#tokens = this.#limits.burst
    this.#filled = monotonic()
  }

  /** Milliseconds until the key may run again; counts one failure. */
  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    const own = Math.min(this.#limits.cap, this.#limits.base * 2 ** Math.min(failures, 40))
    return Math.max(own, this.#reserve())
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }

  #reserve(): number {
    const { rate, burst } = this.#limits
    const now = this.#monotonic()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filled) * rate) / 1000) - 1
    this.#filled = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / rate
  }
}
