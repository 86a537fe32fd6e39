/**
 * Which runs of items this process may go on with. One that began before it started was left behind. One that began later, and not here, is
 * the work of another process that is alive: for a moment there are two, and both would install. That one is left alone until nothing has
 * moved for a while.
 */
import type { Instant } from '../../runtime/clock.ts'
import type { DeployItem } from '../resources/types.ts'
import { runIdOf } from './run-id.ts'

/** Milliseconds without a change after which nobody is taken to work on the item any more. */
const silence = 15_000

export class Runs {
  readonly #startedAt: Instant
  /** The run of each item that this process began or went on with. */
  readonly #own = new Map<string, string>()
  readonly #others = new Map<string, { readonly version: string | undefined; readonly since: Instant }>()

  constructor(now: Instant) {
    // Times of runs are whole seconds.
    this.#startedAt = Math.floor(now / 1000) * 1000
  }

  /** The run that the item is in is this process's from here on. */
  take(key: string, item: DeployItem): void {
    this.#own.set(key, runIdOf(item))
    this.#others.delete(key)
  }

  /** Milliseconds for which the run that the item is in is to be left alone; 0 when it may be gone on with. */
  patienceWith(key: string, item: DeployItem, now: Instant): number {
    if (this.#own.get(key) === runIdOf(item)) return 0
    const begun = Date.parse(item.status?.lastReconcileTime ?? '')
    if (!(begun >= this.#startedAt)) return 0
    const version = item.metadata.resourceVersion
    let seen = this.#others.get(key)
    if (seen === undefined || seen.version !== version) {
      seen = { version, since: now }
      this.#others.set(key, seen)
    }
    return Math.max(0, seen.since + silence - now)
  }

  forget(key: string): void {
    this.#own.delete(key)
    this.#others.delete(key)
  }
}
