/**
 * The loop every controller shares: caches report keys, a queue holds them, and each key is reconciled by one worker at a time.
 * Level-triggered: a key says that something may have changed; `reconcile` reads the caches and decides from the current state alone.
 */
import { checkedMs, type Runtime } from '../../runtime/index.ts'
import type { WorkQueue } from '../queue/queue.ts'
import type { RateLimits } from '../queue/ratelimit.ts'
import { createWorkQueue } from '../queue/workqueue.ts'
import { failureOf } from './failure.ts'
import type { ReconcileResult } from './result.ts'
import type { Source } from './source.ts'

export interface ControllerOptions {
  /** Names the controller in logs, metrics and traces. */
  readonly name: string
  readonly runtime: Runtime
  readonly sources: readonly Source[]
  /**
   * A rejection affects this key only. It is logged and retried with growing back-off, except: a conflict is retried without being logged
   * as an error; a refusal in a terminating namespace ends the work on the key; a `TerminalError` is logged and not retried; a
   * Retry-After of the server is honoured.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult | undefined>
  /** For callers that add keys themselves. @default a queue with the controller's name and `limits` */
  readonly queue?: WorkQueue
  /** The back-off of the default queue. */
  readonly limits?: RateLimits
  /** Keys reconciled at the same time. @default 1 */
  readonly concurrency?: number
  readonly signal: AbortSignal
}

/** Starts when all caches are filled; ends when `signal` has aborted and the reconciles under way have ended. */
export async function runController(options: ControllerOptions): Promise<void> {
  const { name, runtime, sources, limits = {}, concurrency = 1 } = options
  const queue = options.queue ?? createWorkQueue(runtime, { name, limits })
  const signal = AbortSignal.any([options.signal])
  const results = runtime.metrics.counter({
    name: 'carabiner_controller_reconciles_total',
    help: 'Reconciles, by result.',
    labels: ['controller', 'result'],
  })
  if (!(await allSynced(sources, signal))) return
  const unsubscribe = sources.map((source) => source.feed((key) => queue.add(key)))
  try {
    await queue.run(
      async (key, stop) => {
        let result: Outcome['result'] = 'error'
        try {
          const outcome = await runtime.traces.span(`${name} ${key}`, () => reconcileOnce(options, key, stop))
          result = outcome.result
          if (outcome.next !== undefined) requeue(queue, key, outcome.next)
        } finally {
          results.add(1, { controller: name, result })
        }
      },
      signal,
      concurrency,
    )
  } finally {
    for (const end of unsubscribe) end()
  }
}

interface Outcome {
  readonly result: 'done' | 'again' | 'error'
  readonly next?: ReconcileResult
}

function requeue(queue: WorkQueue, key: string, next: ReconcileResult): void {
  if ('retry' in next) queue.addRateLimited(key)
  else queue.addAfter(key, checkedMs('requeueAfterMs', next.requeueAfterMs))
}

/** Rejects only with errors that the queue logs and retries. */
async function reconcileOnce(
  { name, runtime, reconcile }: ControllerOptions,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const next = await reconcile(key, signal)
    return next === undefined ? { result: 'done' } : { result: 'again', next }
  } catch (error) {
    if (signal.aborted) throw error
    const log = runtime.log.with({ controller: name, key })
    const failure = failureOf(error)
    switch (failure.kind) {
      case 'conflict':
        log.debug('the object has changed since it was read; retrying', { error })
        return { result: 'again', next: { retry: true } }
      case 'namespace-terminating':
        log.debug('the namespace is terminating', { error })
        return { result: 'done' }
      case 'terminal':
        log.error('reconcile failed; retrying cannot help', { error })
        return { result: 'error' }
      case 'retry-after':
        log.warn('the server asked to wait; retrying later', { retryAfterMs: failure.ms, error })
        return { result: 'error', next: { requeueAfterMs: failure.ms } }
      case 'failed':
        throw error
    }
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
