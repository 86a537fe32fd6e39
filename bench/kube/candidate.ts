/**
 * One client in a fresh process: fills its cache with all pods, then receives a burst of watch events. Prints time and memory as JSON.
 * Arguments: `ours`, `ours-whole` or `theirs`, the server's port, the number of events.
 */
import { podCount } from './pods.ts'
import { Stalls } from './stalls.ts'

export interface Cost {
  readonly listSeconds: number
  /** Growth of the heap when the cache is filled. */
  readonly heapBytes: number
  readonly longestStallMilliseconds: number
  /** CPU time within the longest stall: its length on an otherwise idle machine. */
  readonly longestStallCpuMilliseconds: number
  readonly eventsPerCpuSecond: number
}

/** Resolves when the cache is full; afterwards calls `changed` for every event. */
type Start = (server: string, changed: () => void) => Promise<{ readonly size: () => number }>

const [, , name = 'ours', port, eventCount] = process.argv
const server = `http://127.0.0.1:${port}`
const events = Number(eventCount)
const { start }: { start: Start } = name === 'theirs' ? await import('./theirs.ts') : await import('./ours.ts')

const heapBefore = heapNow()
const stalls = new Stalls()
stalls.watch()
const startedAt = performance.now()
let seen = 0
let storm: { readonly done: () => void } | undefined
const cache = await start(server, () => {
  if (++seen === events) storm?.done()
})
const listSeconds = (performance.now() - startedAt) / 1000
if (cache.size() !== podCount) throw new Error(`${name} has ${cache.size()} pods`)
stalls.ignore()
const heapBytes = heapNow() - heapBefore
stalls.watch()

seen = 0
const finished = new Promise<void>((resolve) => {
  storm = { done: resolve }
})
const cpuBefore = process.cpuUsage()
await fetch(`${server}/storm?events=${events}`)
await finished
const cpu = process.cpuUsage(cpuBefore)
stalls.ignore()

const cost: Cost = {
  listSeconds,
  heapBytes,
  longestStallMilliseconds: stalls.longest,
  longestStallCpuMilliseconds: stalls.longestCpu,
  eventsPerCpuSecond: events / ((cpu.user + cpu.system) / 1e6),
}
console.log(JSON.stringify(cost))
process.exit(0)

function heapNow(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
