/**
 * The clock of one simulated process. Its timers are lines of the trace.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Cell } from './cell.ts'

export function createVirtualClock(cell: Cell): Clock {
  const { scheduler } = cell
  const after = (delay: number, fire: () => void): Timer =>
    scheduler.schedule(cell, delay, () => {
      cell.record(`timer ${delay}ms`)
      fire()
    })
  const sleep = (delay: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const onAbort = (): void => {
        timer.cancel()
        reject(signal?.reason)
      }
      const timer = after(delay, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  return { now: () => cell.now(), monotonic: () => scheduler.elapsed, after, sleep }
}
