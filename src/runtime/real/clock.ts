/**
 * The machine's clock. Long delays are cut into pieces, because the platform's timers overflow after 24.8 days.
 */
import type { Clock, Timer } from '../clock.ts'
import { sleepBy } from '../sleep.ts'
import { tolerateListeners } from './signals.ts'

const longestDelay = 2 ** 31 - 1

export function createRealClock(): Clock {
  const after = (delay: number, fire: () => void): Timer => {
    let handle: NodeJS.Timeout
    const arm = (left: number): void => {
      const piece = Math.min(Math.max(left, 0), longestDelay)
      handle = setTimeout(() => (left > piece ? arm(left - piece) : fire()), piece)
    }
    arm(delay)
    return { cancel: () => clearTimeout(handle) }
  }
  const sleep = sleepBy(after, tolerateListeners)
  return { now: () => Date.now(), monotonic: () => performance.now(), after, sleep }
}
