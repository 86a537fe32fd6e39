/**
 * The loop every controller shares: caches tell keys, keys wait in a queue, one key at a time is brought in line. Level-triggered: a
 * key says that something may have changed, never what; `reconcile` looks at the caches and decides from what is there now.
 */
import type { Runtime } from '../../runtime/runtime.ts'
import type { WorkQueue } from '../queue/queue.ts'
import type { Source } from './source.ts'

/** Look again after this many milliseconds even if nothing changes. */
export interface Again {
  readonly after: number
}

export interface ControllerOptions {
  /** Names the controller in logs, metrics and traces. */
  readonly name: string
  readonly runtime: Runtime
  readonly queue: WorkQueue
  readonly sources: readonly Source[]
  /** A rejection concerns this key alone: it is logged and tried again with growing delay. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Again | undefined>
  /** Keys worked on at the same time. @default 1 */
  readonly concurrency?: number
  readonly signal: AbortSignal
}

/** Starts when all caches are complete, ends when `signal` has aborted and the work in hand is done. */
export async function runController(options: ControllerOptions): Promise<void> {
  const { name, runtime, queue, sources, reconcile, concurrency = 1 } = options
  const signal = AbortSignal.any([options.signal])
  const outcomes = runtime.metrics.counter({
    name: 'carabiner_controller_reconciles_total',
    help: 'Keys brought in line, by result.',
    labels: ['controller', 'result'],
  })
  if (!(await allSynced(sources, signal))) return
  const ends = sources.map((source) => source.feed((key) => queue.add(key)))
  try {
    await queue.run(
      async (key, stop) => {
        let result = 'error'
        try {
          const again = await runtime.traces.span(`${name} ${key}`, () => reconcile(key, stop))
          if (again !== undefined) queue.addAfter(key, again.after)
          result = again === undefined ? 'done' : 'again'
        } finally {
          outcomes.add(1, { controller: name, result })
        }
      },
      signal,
      concurrency,
    )
  } finally {
    for (const end of ends) end()
  }
}

/** False when the signal aborted first. */
async function allSynced(sources: readonly Source[], signal: AbortSignal): Promise<boolean> {
  let stop = () => {}
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([Promise.all(sources.map((source) => source.synced)), aborted])
  signal.removeEventListener('abort', stop)
  return !signal.aborted
}
