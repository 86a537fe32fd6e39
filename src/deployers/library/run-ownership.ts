/**
 * Which runs this process may continue. A run that began before this process started was left behind by another one. A run that began
 * later, and not here, belongs to another live process: for a moment during a leader change there are two. It is taken over only after the
 * item has not changed for a while.
 */
import type { Instant } from '../../runtime/index.ts'
import type { DeployItem } from '../resources/types.ts'
import { runIdOf } from './run-id.ts'

/** Without a change of the item for this long, the other process counts as stopped. */
const foreignRunSilenceMs = 15_000

export class RunOwnership {
  readonly #startedAt: Instant
  /** The run of each item that this process began or continued. */
  readonly #own = new Map<string, string>()
  readonly #others = new Map<string, { readonly version: string | undefined; readonly since: Instant }>()

  constructor(now: Instant) {
    // Start times of runs have whole seconds.
    this.#startedAt = Math.floor(now / 1000) * 1000
  }

  /** From now on the item's run belongs to this process. */
  claim(key: string, item: DeployItem): void {
    this.#own.set(key, runIdOf(item))
    this.#others.delete(key)
  }

  /** Milliseconds to wait before the item's run may be continued; 0 when it may be continued now. */
  takeoverWaitMs(key: string, item: DeployItem, now: Instant): number {
    if (this.#own.get(key) === runIdOf(item)) return 0
    const begun = Date.parse(item.status?.lastReconcileTime ?? '')
    if (!(begun >= this.#startedAt)) return 0
    const version = item.metadata.resourceVersion
    let seen = this.#others.get(key)
    if (seen === undefined || seen.version !== version) {
      seen = { version, since: now }
      this.#others.set(key, seen)
    }
    return Math.max(0, seen.since + foreignRunSilenceMs - now)
  }

  forget(key: string): void {
    this.#own.delete(key)
    this.#others.delete(key)
  }
}
