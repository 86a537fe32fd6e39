/**
 * Keeps a process small that mostly waits. Left alone, the engine lets the space for young objects grow to 32 MB while caches fill, grows
 * the heap in large steps, and optimizes the HTTP parser's machine code, which takes 20 MB once; it gives next to nothing back.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How many times as large the space for young objects becomes when too many of them survive. */
const growth = { never: '--semi-space-growth-factor=1', quickly: '--semi-space-growth-factor=4' }

/**
 * Collections within so many milliseconds from which on a process is busy. One that starts hook after hook has fifty in a second, which take two
 * hundredths of its time, while a larger process takes longer to start others.
 */
const busyFrom = 20
const busyWithin = 200
/** Milliseconds between two looks at a busy process, and the share of a core in between below which it is calm. */
const lookEvery = 500
const calmBelow = 0.25
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
 * Gives the process space for as long as it has much to do: with little, a quarter of its time goes into collecting young objects. A process
 * at rest is not even looked at. Returns a function that ends it.
 */
export function growWhileBusy(): () => void {
  let looking: NodeJS.Timeout | undefined
  let collections: number[] = []
  const observer = new PerformanceObserver((list) => {
    const starts = list.getEntries().map(({ startTime }) => startTime)
    collections = [...collections, ...starts].slice(-busyFrom)
    const [first = 0] = collections
    if (collections.length === busyFrom && (starts.at(-1) ?? 0) - first <= busyWithin) grow()
  })
  const rest = () => observer.observe({ entryTypes: ['gc'] })

  function grow(): void {
    observer.disconnect()
    collections = []
    setFlagsFromString(growth.quickly)
    let before = process.cpuUsage()
    let calm = 0
    looking = setInterval(() => {
      const { user, system } = process.cpuUsage(before)
      before = process.cpuUsage()
      calm = user + system < calmBelow * lookEvery * 1000 ? calm + 1 : 0
      if (calm < calmLooks) return
      clearInterval(looking)
      setFlagsFromString(growth.never)
      releaseMemory()
      rest()
    }, lookEvery)
    looking.unref()
  }

  rest()
  return () => {
    observer.disconnect()
    clearInterval(looking)
  }
}
