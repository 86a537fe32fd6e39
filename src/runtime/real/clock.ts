/** The clock of the machine. Long delays are split, because `setTimeout` overflows after 24.8 days. */
import type { Clock, Timer } from '../clock.ts'
import { checkedMs } from '../milliseconds.ts'
import { sleepBy } from '../sleep.ts'
import { allowManyListeners } from './signals.ts'

const maxTimeoutMs = 2 ** 31 - 1

export function createRealClock(): Clock {
  const after = (delay: number, fire: () => void): Timer => {
    let handle: NodeJS.Timeout
    const arm = (left: number): void => {
      const piece = Math.min(Math.max(left, 0), maxTimeoutMs)
      handle = setTimeout(() => (left > piece ? arm(left - piece) : fire()), piece)
    }
    arm(checkedMs('delay', delay))
    return { cancel: () => clearTimeout(handle) }
  }
  const sleep = sleepBy(after, allowManyListeners)
  return { now: () => Date.now(), monotonic: () => performance.now(), after, sleep }
}
