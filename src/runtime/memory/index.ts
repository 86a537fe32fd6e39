/**
 * Keeps the memory of a mostly idle process small. By default V8 lets the young generation grow to 32 MB while caches fill, grows the
 * heap in large steps, and optimizes the WebAssembly HTTP parser, which takes 20 MB once; it releases almost nothing of that.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The factor by which V8 enlarges the young generation when too many objects survive. */
const growth = { never: '--semi-space-growth-factor=1', quickly: '--semi-space-growth-factor=4' }

/**
 * A process with this many garbage collections in this window is busy. A process that starts one hook after the other has fifty per second;
 * they take 2 % of its time, and a larger heap would slow down the starts.
 */
const busyCollections = 20
const busyWindowMs = 200
/** The interval between two checks of a busy process, and the share of a core below which it counts as calm. */
const checkIntervalMs = 500
const calmCpuShare = 0.25
/** Calm checks in a row after which the heap is shrunk; V8 does not release memory earlier. */
const calmChecks = 30

/** Must be called first in the process, because V8 keeps memory it has already reserved. */
export function limitHeapGrowth(): void {
  for (const flag of [growth.never, '--optimize-for-size', '--liftoff-only']) setFlagsFromString(flag)
}

/** Runs a full garbage collection and releases the memory: called when the start is complete. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}

/**
 * Lets the heap grow while the process is busy: with a small young generation, a quarter of its time goes into garbage collection. An idle
 * process is not checked at all. Returns a function that stops it.
 */
export function growHeapWhileBusy(): () => void {
  let looking: NodeJS.Timeout | undefined
  let collections: number[] = []
  const observer = new PerformanceObserver((list) => {
    const starts = list.getEntries().map(({ startTime }) => startTime)
    collections = [...collections, ...starts].slice(-busyCollections)
    const [first = 0] = collections
    if (collections.length === busyCollections && (starts.at(-1) ?? 0) - first <= busyWindowMs) grow()
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
      calm = user + system < calmCpuShare * checkIntervalMs * 1000 ? calm + 1 : 0
      if (calm < calmChecks) return
      clearInterval(looking)
      setFlagsFromString(growth.never)
      collectGarbage()
      rest()
    }, checkIntervalMs)
    looking.unref()
  }

  rest()
  return () => {
    observer.disconnect()
    clearInterval(looking)
  }
}
