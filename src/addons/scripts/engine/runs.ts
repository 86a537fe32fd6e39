/**
 * A batch of causes becomes one run of the hook: contexts are made at the last moment, and what the hook asked for is done afterwards, metrics
 * first, then objects. A run that failed in any of this is a failed run.
 */
import type { Runtime } from '../../../runtime/runtime.ts'
import type { OrderBinding } from '../config/types.ts'
import type { Cause } from '../contexts/cause.ts'
import { bindingContexts, type ContextSource } from '../contexts/contexts.ts'
import { contextOf } from '../contexts/pieces.ts'
import type { Hook } from '../hook.ts'
import type { Verdict } from '../queues/queue.ts'
import { type Retry, retryDelay } from '../queues/retry.ts'
import type { Batch } from '../queues/task.ts'
import type { RunRequest, RunResult } from '../run/types.ts'
import type { Monitor } from '../watching/monitor.ts'
import type { EngineMetrics } from './metrics.ts'
import type { Work } from './work.ts'

/** A review is a question of the API server. */
export type RunReason = Exclude<Cause['kind'], 'order'> | OrderBinding | 'review'

export interface HookRuns {
  run(request: RunRequest): Promise<RunResult>
  /** Does what a run asked for, which may depend on why it ran; the result tells of what could not be done. */
  apply(hook: Hook, result: RunResult, why: RunReason): Promise<RunResult>
}

export interface RunContext {
  readonly runtime: Runtime
  readonly runs: HookRuns
  readonly metrics: EngineMetrics
  readonly source: ContextSource<Monitor>
  readonly retry: Retry
  /** It belongs to something larger, which is tried again as a whole. @default false */
  readonly isPart?: boolean
  /** Milliseconds a run may take. @default none */
  readonly timeout?: number
  readonly signal: AbortSignal
}

export async function runBatch(
  hook: Hook,
  batch: Batch<Work>,
  queue: string,
  { runtime, runs, metrics, source, retry, isPart = false, timeout, signal }: RunContext,
): Promise<Verdict<Work>> {
  const { first, tasks, failures } = batch
  const causes = tasks.map(({ cause }) => cause as Cause)
  const labels = { hook: hook.name, binding: first.binding, queue }
  metrics.waited(labels, runtime.clock.monotonic() - batch.queuedAt)
  const fields = { ...labels, task: first.id, event: eventOf(causes[0]) }
  const contexts = contextOf(bindingContexts(hook, causes, source), runtime.files)
  runtime.log.debug('hook starts', { ...fields, contexts: causes.length, failures })
  const ran = await runs.run({ hook, contexts, log: fields, signal, ...(timeout === undefined ? {} : { timeout }) })
  const result = ran.failure?.reason === 'Stopped' ? ran : await runs.apply(hook, ran, reasonOf(causes[0]))
  metrics.ran(labels, result)
  const { failure } = result
  if (failure === undefined) {
    metrics.succeeded(labels)
    runtime.log.debug('hook succeeded', { ...fields, milliseconds: Math.round(result.duration) })
    return { kind: 'done' }
  }
  if (failure.reason === 'Stopped' || signal.aborted) return { kind: 'stopped' }
  const why = { reason: failure.reason, error: failure.message }
  metrics.failed(hook, labels, first.allowFailure)
  if (first.allowFailure) {
    runtime.log.warn('hook failed and may fail: it is not tried again', { ...fields, failures: failures + 1, ...why })
    return { kind: 'done' }
  }
  if (isPart) runtime.log.error('hook failed', { ...fields, ...why })
  else runtime.log.error('hook failed: it is tried again', { ...fields, ...triedAgain(retry, failures), ...why })
  return { kind: 'failed' }
}

/** For the log; `failures` are those before this one. */
export function triedAgain(retry: Retry, failures: number): { readonly failures: number; readonly retryIn: string } {
  return { failures: failures + 1, retryIn: `${retryDelay(retry, failures + 1) / 1000}s` }
}

function reasonOf(cause: Cause | undefined): RunReason {
  return cause?.kind === 'order' ? cause.order : (cause?.kind ?? 'startup')
}

function eventOf(cause: Cause | undefined): string {
  switch (cause?.kind) {
    case 'schedule':
      return 'Schedule'
    case 'synchronization':
      return 'Synchronization'
    case 'order':
      return cause.order
    case 'event':
      return cause.event.watchEvent
    default:
      return 'onStartup'
  }
}
