/** How often a hook may run: a token bucket for each hook, shared by all queues that have tasks of the hook. */
import type { Clock } from '../../../runtime/index.ts'
import type { HookSettings } from '../config/types.ts'

interface Bucket {
  runs: number
  /** Monotonic milliseconds up to which it was filled. */
  filledAt: number
}

export class RunLimits {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #settingsOf: (hook: string) => HookSettings | undefined
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Pick<Clock, 'monotonic'>, settingsOf: (hook: string) => HookSettings | undefined) {
    this.#clock = clock
    this.#settingsOf = settingsOf
  }

  /** Milliseconds until the hook may run again; 0 when it may at once. */
  delay(hook: string): number {
    const settings = this.#settingsOf(hook)
    if (settings === undefined || settings.executionMinInterval <= 0) return 0
    const { runs, filledAt } = this.#filled(hook, settings)
    if (runs >= 1) return 0
    return Math.max(0, filledAt + settings.executionMinInterval - this.#clock.monotonic())
  }

  /** Counts a run that starts now. */
  take(hook: string): void {
    const settings = this.#settingsOf(hook)
    if (settings === undefined || settings.executionMinInterval <= 0) return
    const bucket = this.#filled(hook, settings)
    // A full bucket begins to fill again only when something was taken out of it.
    if (bucket.runs >= settings.executionBurst) bucket.filledAt = this.#clock.monotonic()
    bucket.runs -= 1
  }

  #filled(hook: string, { executionMinInterval, executionBurst }: HookSettings): Bucket {
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(hook) ?? { runs: executionBurst, filledAt: now }
    this.#buckets.set(hook, bucket)
    const gained = Math.floor((now - bucket.filledAt) / executionMinInterval)
    if (gained > 0) {
      bucket.runs = Math.min(executionBurst, bucket.runs + gained)
      bucket.filledAt += gained * executionMinInterval
    }
    return bucket
  }
}
