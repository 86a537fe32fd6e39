/**
 * The runs that this very process has started, until the caches show them. An engine starts a run at most once: a second request that
 * comes late could make again what another engine has seen, judged and removed meanwhile.
 */
import { type Run, runKey } from '../../hooks/run.ts'
import type { Clock, Instant } from '../../runtime/clock.ts'

/** Longer than any cache is behind, and than any request is under way. */
export const startPatience = 10_000
/** What nobody has asked about for so long is over in one way or another. */
const longest = 600_000

export class Starts {
  readonly #clock: Clock
  readonly #known = new Map<string, Instant>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(run: Run): void {
    const now = this.#clock.now()
    for (const [key, at] of this.#known) if (at + longest < now) this.#known.delete(key)
    this.#known.set(runKey(run), now)
  }

  /** When the run was started here; undefined when it was not. */
  when(run: Run): Instant | undefined {
    return this.#known.get(runKey(run))
  }
}
