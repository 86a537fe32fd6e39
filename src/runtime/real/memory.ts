/**
 * Keeps a process small that mostly waits. Left alone, the engine lets the space for young objects grow to 32 MB while caches fill, grows
 * the heap in large steps, and optimizes the HTTP parser's machine code, which takes 20 MB once; it gives next to nothing back.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How many times as large the space for young objects becomes when too many of them survive. */
const growth = { never: '--semi-space-growth-factor=1', quickly: '--semi-space-growth-factor=4' }

/** Milliseconds between two looks, and the share of a core in between from which on a process is busy. */
const lookEvery = 500
const busyFrom = 0.25
/** Looks without work after which a busy time is over; the engine does not give space back any sooner. */
const calmLooks = 30

/** To be called first thing: space that is there already stays. */
export function keepMemorySmall(): void {
  for (const flag of [growth.never, '--optimize-for-size', '--liftoff-only']) setFlagsFromString(flag)
}

/** Collects everything nobody needs any more, and gives the space back: for the moment when the work of starting is done. */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}

/**
 * Gives the process space for as long as it has much to do: with little, a quarter of its time goes into collecting young objects. Returns a
 * function that ends it.
 */
export function growWhileBusy(): () => void {
  let before = process.cpuUsage()
  let calm: number | undefined
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    if (user + system >= busyFrom * lookEvery * 1000) {
      if (calm === undefined) setFlagsFromString(growth.quickly)
      calm = 0
    } else if (calm !== undefined && ++calm >= calmLooks) {
      calm = undefined
      setFlagsFromString(growth.never)
      releaseMemory()
      // Collecting is work, too, but none that more space would help.
      before = process.cpuUsage()
    }
  }, lookEvery)
  timer.unref()
  return () => clearInterval(timer)
}
