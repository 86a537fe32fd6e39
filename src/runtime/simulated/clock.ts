/** The clock of one simulated process. Each timer that fires is recorded in the trace. */
import type { Clock, Timer } from '../clock.ts'
import { checkedMs } from '../milliseconds.ts'
import { sleepBy } from '../sleep.ts'
import type { Cell } from './cell.ts'

export function createVirtualClock(cell: Cell): Clock {
  const { scheduler } = cell
  const after = (delay: number, fire: () => void): Timer =>
    scheduler.schedule(cell, checkedMs('delay', delay), () => {
      cell.record(`timer ${delay}ms`)
      fire()
    })
  const sleep = sleepBy(after)
  return {
    now: () => cell.now(),
    monotonic: () => scheduler.elapsed,
    after,
    // The sleep of a halted process never ends and adds no listener to the signal.
    sleep: (delay, signal) => (cell.halted ? new Promise(() => undefined) : sleep(delay, signal)),
  }
}
