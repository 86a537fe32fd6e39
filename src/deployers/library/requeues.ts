/**
 * When each item is reconciled next: after a change, after back-off, or after a requested delay. An item that has not changed since its
 * last run causes no read, no write and no hook.
 */
import type { Instant } from '../../runtime/index.ts'
import type { FlowResult } from './flow-result.ts'

interface Entry {
  readonly version: string | undefined
  readonly wakeAt: Instant | undefined
  readonly failures: number
  readonly requeues: number
}

/** Doubled with every consecutive failure. */
const firstBackoffMs = 1_000
const maxBackoffMs = 60_000
/** Doubled with every consecutive requeue without delay, so that a hook that always requeues does not cause a busy loop. */
const firstRequeueMs = 5

export class Requeues {
  readonly #entries = new Map<string, Entry>()
  readonly #woken = new Set<string>()

  /** `now`, the milliseconds until then, or `later` when only a change of the item causes a reconcile. */
  due(key: string, version: string, now: Instant): number | 'now' | 'later' {
    if (this.#woken.delete(key)) return 'now'
    const look = this.#entries.get(key)
    if (look?.version === undefined || Number(version) > Number(look.version)) return 'now'
    // The cache does not show the own last write yet.
    if (version !== look.version) return 'later'
    if (look.wakeAt === undefined) return 'later'
    return look.wakeAt <= now ? 'now' : look.wakeAt - now
  }

  /** Records the end of a run; returns the milliseconds until the next one, undefined when only a change causes it. */
  record(key: string, end: FlowResult, now: Instant): number | undefined {
    const before = this.#entries.get(key)
    const failures = end.error === undefined ? 0 : (before?.failures ?? 0) + 1
    const requeues = end.requeue ? (before?.requeues ?? 0) + 1 : 0
    const pause = delayMs(end, failures, requeues)
    this.#entries.set(key, {
      version: end.version,
      wakeAt: pause === undefined ? undefined : now + pause,
      failures,
      requeues,
    })
    return pause
  }

  /** What the item waits for has changed, possibly during the run that is under way: the next reconcile is due now. */
  wake(key: string): void {
    this.#woken.add(key)
  }

  hasFailed(key: string): boolean {
    return (this.#entries.get(key)?.failures ?? 0) > 0
  }

  forget(key: string): void {
    this.#entries.delete(key)
    this.#woken.delete(key)
  }
}

function delayMs(end: FlowResult, failures: number, requeues: number): number | undefined {
  if (failures > 0)
    return Math.max(end.requeueAfterMs, Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 20)))
  if (requeues > 0) return Math.min(maxBackoffMs, firstRequeueMs * 2 ** Math.min(requeues - 1, 20))
  return end.requeueAfterMs > 0 ? end.requeueAfterMs : undefined
}
