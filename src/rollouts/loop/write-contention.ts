/**
 * Two engines may be at work on one policy, for example while one does not know yet that it lost its lease. Their caches may differ, and then each
 * would overwrite what the other wrote, as fast as the server answers. If our last write was overwritten, we back off exponentially. People
 * write other values than engines do, and cause no back-off.
 */
import type { Instant } from '../../runtime/index.ts'
import type { RolloutPolicyStatus } from '../policy/types.ts'

interface LastWrite {
  readonly value: string
  readonly at: Instant
  /** How often in a row another engine had written in between. */
  readonly overwritten: number
}

const minBackoffMs = 100
const maxBackoffMs = 1_600
/** After this time without a write the contention is over. */
const contentionMs = 2 * maxBackoffMs

export class WriteContention {
  readonly #last = new Map<string, LastWrite>()

  /** How long to wait when this value is found. */
  backoffMs(key: string, found: string, now: Instant): number {
    const last = this.#last.get(key)
    if (last === undefined || last.value === found) return 0
    return Math.max(0, last.at + Math.min(maxBackoffMs, minBackoffMs * 2 ** last.overwritten) - now)
  }

  /** What was found, and what was written. */
  record(key: string, { found, written }: { readonly found: string; readonly written: string }, now: Instant): void {
    for (const [old, { at }] of this.#last) {
      if (now - at <= contentionMs) break
      this.#last.delete(old)
    }
    const last = this.#last.get(key)
    this.#last.delete(key)
    const overwritten = last === undefined || last.value === found ? 0 : last.overwritten + 1
    this.#last.set(key, { value: written, at: now, overwritten })
  }
}

/** What two engines that observe different things write differently. */
export function fingerprint({ conditions = [], rollout }: RolloutPolicyStatus = {}): string {
  const { id, phase, hooks = [] } = rollout ?? {}
  return [id, phase, conditions[0]?.message, ...hooks.map(({ state, attempts }) => `${state}${attempts}`)].join('/')
}
