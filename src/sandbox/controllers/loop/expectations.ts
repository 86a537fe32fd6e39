/**
 * Expectations: creations and deletions a controller requested that its cache does not show yet. While some are
 * outstanding, counting pods in the cache would be wrong.
 */
import type { Clock } from '../../../runtime/index.ts'

/** After this time an expectation is ignored, because an event was probably lost. */
const expectationTimeoutMs = 5 * 60_000

interface Outstanding {
  creations: number
  readonly deletions: Set<string>
  readonly sinceMs: number
}

export class Expectations {
  readonly #clock: Clock
  readonly #outstanding = new Map<string, Outstanding>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  expect(key: string, creations: number, deletions: Iterable<string> = []): void {
    this.#outstanding.set(key, { creations, deletions: new Set(deletions), sinceMs: this.#clock.monotonic() })
  }

  created(key: string): void {
    const found = this.#outstanding.get(key)
    if (found !== undefined) found.creations--
  }

  deleted(key: string, uid: string): void {
    this.#outstanding.get(key)?.deletions.delete(uid)
  }

  satisfied(key: string): boolean {
    const found = this.#outstanding.get(key)
    if (found === undefined || (found.creations <= 0 && found.deletions.size === 0)) return true
    return this.#clock.monotonic() - found.sinceMs > expectationTimeoutMs
  }

  forget(key: string): void {
    this.#outstanding.delete(key)
  }
}
