/**
 * The clock of one simulated process. Its timers are lines of the trace.
 */
import type { Clock, Timer } from '../clock.ts'
import { sleepBy } from '../sleep.ts'
import type { Cell } from './cell.ts'

export function createVirtualClock(cell: Cell): Clock {
  const { scheduler } = cell
  const after = (delay: number, fire: () => void): Timer =>
    scheduler.schedule(cell, delay, () => {
      cell.record(`timer ${delay}ms`)
      fire()
    })
  const sleep = sleepBy(after)
  return {
    now: () => cell.now(),
    monotonic: () => scheduler.elapsed,
    after,
    // A dead process sleeps for good, and listens to nothing meanwhile.
    sleep: (delay, signal) => (cell.halted ? new Promise(() => undefined) : sleep(delay, signal)),
  }
}
