/**
 * What was last seen of each item and when it wants to be looked at again. An item that has not changed since costs nothing: no read, no
 * write, no hook. Also where the pauses between failures are counted.
 */
import type { Instant } from '../../runtime/clock.ts'
import type { FlowEnd } from './flow-end.ts'

interface Look {
  readonly version: string | undefined
  readonly wakeAt: Instant | undefined
  readonly failures: number
  readonly requeues: number
}

/** Milliseconds, doubled with every failure in a row. */
const firstPause = 1_000
const longestPause = 60_000
/** The same for results that want to be requeued at once: a hook that always says so must not keep a processor busy. */
const firstRequeue = 5

export class Looks {
  readonly #looks = new Map<string, Look>()

  /** Milliseconds to wait for, `now` when the item is to be looked at, `later` when only a change can make that necessary. */
  due(key: string, version: string, now: Instant): number | 'now' | 'later' {
    const look = this.#looks.get(key)
    if (look?.version === undefined || Number(version) > Number(look.version)) return 'now'
    // The cache is behind what was written: it is about to tell.
    if (version !== look.version) return 'later'
    if (look.wakeAt === undefined) return 'later'
    return look.wakeAt <= now ? 'now' : look.wakeAt - now
  }

  /** Notes the end of a run; gives the milliseconds until the next one, undefined when only a change shall cause it. */
  note(key: string, end: FlowEnd, now: Instant): number | undefined {
    const before = this.#looks.get(key)
    const failures = end.error === undefined ? 0 : (before?.failures ?? 0) + 1
    const requeues = end.requeue ? (before?.requeues ?? 0) + 1 : 0
    const pause = pauseOf(end, failures, requeues)
    this.#looks.set(key, {
      version: end.version,
      wakeAt: pause === undefined ? undefined : now + pause,
      failures,
      requeues,
    })
    return pause
  }

  hasFailed(key: string): boolean {
    return (this.#looks.get(key)?.failures ?? 0) > 0
  }

  forget(key: string): void {
    this.#looks.delete(key)
  }
}

function pauseOf(end: FlowEnd, failures: number, requeues: number): number | undefined {
  if (failures > 0)
    return Math.max(end.requeueAfterMs, Math.min(longestPause, firstPause * 2 ** Math.min(failures - 1, 20)))
  if (requeues > 0) return Math.min(longestPause, firstRequeue * 2 ** Math.min(requeues - 1, 20))
  return end.requeueAfterMs > 0 ? end.requeueAfterMs : undefined
}
