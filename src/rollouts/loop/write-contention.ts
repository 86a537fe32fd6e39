/**
 * Engines that are at work on the same policy, as when one does not know yet that it lost its lease. Their caches may differ, and then each
 * would put right what the other wrote, as fast as the server answers. Who finds his write written over waits, longer every time. People
 * write as well, but not what engines write, and are not waited for.
 */
import type { Instant } from '../../runtime/clock.ts'
import type { RolloutPolicyStatus } from '../policy/types.ts'

interface Last {
  readonly left: string
  readonly at: Instant
  /** How often in a row somebody else had written in between. */
  readonly times: number
}

/** Milliseconds. */
const shortest = 100
const longest = 1_600
/** Milliseconds after which a contest is over. */
const memory = 2 * longest

export class Rivalry {
  readonly #last = new Map<string, Last>()

  /** Milliseconds to wait, when this is what is found. */
  pause(key: string, found: string, now: Instant): number {
    const last = this.#last.get(key)
    if (last === undefined || last.left === found) return 0
    return Math.max(0, last.at + Math.min(longest, shortest * 2 ** last.times) - now)
  }

  /** What was found, and what was made of it. */
  wrote(key: string, found: string, left: string, now: Instant): void {
    for (const [old, { at }] of this.#last) {
      if (now - at <= memory) break
      this.#last.delete(old)
    }
    const last = this.#last.get(key)
    this.#last.delete(key)
    const times = last === undefined || last.left === found ? 0 : last.times + 1
    this.#last.set(key, { left, at: now, times })
  }
}

/** What engines that see different things tell differently. */
export function told({ conditions = [], rollout }: RolloutPolicyStatus = {}): string {
  const { id, phase, hooks = [] } = rollout ?? {}
  return [id, phase, conditions[0]?.message, ...hooks.map(({ state, attempts }) => `${state}${attempts}`)].join('/')
}
