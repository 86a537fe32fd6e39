/**
 * What this process has done, as caches that are behind do not show it yet. A run is started at most once: a second request that arrives late
 * could create again what another engine has observed, judged and removed meanwhile. A pod that this process deleted counts as gone at once, or
 * more pods would be deleted than maxUnavailable allows.
 */
import { type Run, runKey } from '../../hooks/index.ts'
import type { Clock, Instant } from '../../runtime/index.ts'

/** Longer than a cache is behind, and than a request takes. */
export const startTimeoutMs = 10_000
/** Actions that are older have no influence any more. */
const keptMs = 600_000

export class RecentActions {
  readonly #clock: Clock
  readonly #done = new Map<string, Instant>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  started(run: Run): void {
    this.#record(`run ${runKey(run)}`)
  }

  /** When the run was started here; undefined when it was not. */
  startOf(run: Run): Instant | undefined {
    return this.#done.get(`run ${runKey(run)}`)
  }

  deleted(uid: string): void {
    this.#record(`pod ${uid}`)
  }

  hasDeleted(uid: string): boolean {
    return this.#done.has(`pod ${uid}`)
  }

  #record(action: string): void {
    const now = this.#clock.now()
    for (const [known, at] of this.#done) if (at + keptMs < now) this.#done.delete(known)
    this.#done.set(action, now)
  }
}
