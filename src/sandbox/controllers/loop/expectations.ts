/**
 * What a controller has asked for and not yet seen in its cache. As long as something is outstanding the cache is behind, and counting
 * pods would count wrongly.
 */
import type { Clock } from '../../../runtime/clock.ts'

/** After this long something was lost, and acting on what is seen is better than waiting on. */
const patience = 5 * 60_000

interface Outstanding {
  creations: number
  readonly deletions: Set<string>
  readonly since: number
}

export class Expectations {
  readonly #clock: Clock
  readonly #outstanding = new Map<string, Outstanding>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  expect(key: string, creations: number, deletions: Iterable<string> = []): void {
    this.#outstanding.set(key, { creations, deletions: new Set(deletions), since: this.#clock.monotonic() })
  }

  created(key: string): void {
    const found = this.#outstanding.get(key)
    if (found !== undefined) found.creations--
  }

  deleted(key: string, uid: string): void {
    this.#outstanding.get(key)?.deletions.delete(uid)
  }

  met(key: string): boolean {
    const found = this.#outstanding.get(key)
    if (found === undefined || (found.creations <= 0 && found.deletions.size === 0)) return true
    return this.#clock.monotonic() - found.since > patience
  }

  forget(key: string): void {
    this.#outstanding.delete(key)
  }
}
