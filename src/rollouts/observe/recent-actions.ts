/**
 * What this very process has done, as caches that are behind do not show it. A run is started at most once: a second request that comes late
 * could make again what another engine has seen, judged and removed meanwhile. A pod that was deleted serves nobody, or more would be taken
 * away than may be missing.
 */
import { type Run, runKey } from '../../hooks/index.ts'
import type { Clock, Instant } from '../../runtime/clock.ts'

/** Longer than any cache is behind, and than any request is under way. */
export const startPatience = 10_000
/** What nobody has asked about for so long is over in one way or another. */
const longest = 600_000

export class Deeds {
  readonly #clock: Clock
  readonly #done = new Map<string, Instant>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  started(run: Run): void {
    this.#note(`run ${runKey(run)}`)
  }

  /** When the run was started here; undefined when it was not. */
  startOf(run: Run): Instant | undefined {
    return this.#done.get(`run ${runKey(run)}`)
  }

  deleted(uid: string): void {
    this.#note(`pod ${uid}`)
  }

  hasDeleted(uid: string): boolean {
    return this.#done.has(`pod ${uid}`)
  }

  #note(deed: string): void {
    const now = this.#clock.now()
    for (const [known, at] of this.#done) if (at + longest < now) this.#done.delete(known)
    this.#done.set(deed, now)
  }
}
