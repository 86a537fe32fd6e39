/**
 * Runs a hook for a batch of causes: contexts are built when the run begins, and its results are applied afterwards, metrics first, then
 * object patches. A failure in any of these steps fails the run.
 */
import type { Recorder } from '../../../hooks/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { OrderBinding } from '../config/types.ts'
import type { Cause } from '../contexts/cause.ts'
import { bindingContexts, type ContextSource } from '../contexts/contexts.ts'
import { contextOf } from '../contexts/json-pieces.ts'
import type { Hook } from '../hook.ts'
import type { Verdict } from '../queues/queue.ts'
import { afterFailure, type Retry, retryDelay } from '../queues/retry.ts'
import type { Batch, Task } from '../queues/task.ts'
import type { FailureReason, RunRequest, RunResult } from '../run/types.ts'
import type { Monitor } from '../watching/monitor.ts'
import type { EngineMetrics } from './metrics.ts'
import { causeText, type Line, performRecorded, runOf } from './record.ts'
import type { Work } from './work.ts'

/** A review is an admission or conversion request. */
export type RunReason = Exclude<Cause['kind'], 'order'> | OrderBinding | 'review'

export interface HookRuns {
  run(request: RunRequest): Promise<RunResult>
  /** Applies the results of a run, depending on why it ran; a failure is in the returned result. */
  apply(hook: Hook, result: RunResult, why: RunReason): Promise<RunResult>
}

export interface RunContext {
  readonly runtime: Runtime
  readonly runs: HookRuns
  readonly metrics: EngineMetrics
  readonly recorder: Recorder
  /** Part of every run's key. */
  readonly engine: string
  readonly source: ContextSource<Monitor>
  readonly retry: Retry
  /** The run is part of a job, which is retried as a whole. @default false */
  readonly isPart?: boolean
  /** Timeout of a run in milliseconds. @default none */
  readonly timeout?: number
  readonly signal: AbortSignal
}

export async function runBatch(
  hook: Hook,
  batch: Batch<Work>,
  queue: string,
  context: RunContext,
): Promise<Verdict<Work>> {
  const { runtime, metrics, source, signal } = context
  const { first, tasks, failures } = batch
  const causes = tasks.map(({ cause }) => cause as Cause)
  const labels = { hook: hook.name, binding: first.binding, queue }
  metrics.waited(labels, runtime.clock.monotonic() - batch.queuedAt)
  const names = { engine: context.engine, task: first.id, binding: first.binding, attempt: failures + 1 }
  const run = runOf(hook, causes[0], names)
  const fields = { ...labels, task: first.id, event: eventOf(causes[0]) }
  const contexts = contextOf(bindingContexts(hook, causes, source), runtime.files)
  const result = await performRecorded({ run, hook, cause: causeText(causes), fields }, context, {
    work: async (request) => {
      const ran = await context.runs.run({ ...request, contexts })
      return ran.failure?.reason === 'Stopped' ? ran : await context.runs.apply(hook, ran, reasonOf(causes[0]))
    },
    line: ({ failure }) =>
      failure === undefined
        ? succeeded
        : failed(first, context, { failures, reason: failure.reason, isStopping: signal.aborted }),
  })
  metrics.ran(labels, result)
  const { failure } = result
  if (failure === undefined) {
    metrics.successLine(labels)
    return { kind: 'done' }
  }
  if (failure.reason === 'Stopped' || signal.aborted) return { kind: 'stopped' }
  metrics.failureLine(hook, labels, { isAllowed: first.allowFailure })
  return { kind: afterFailure(first, context.retry, failures + 1).do === 'retry' ? 'failed' : 'done' }
}

const succeeded: Line = { level: 'debug', message: 'hook succeeded' }

function failed(
  task: Task<Work>,
  { retry, isPart = false }: RunContext,
  {
    failures,
    reason,
    isStopping,
  }: { readonly failures: number; readonly reason: FailureReason; readonly isStopping: boolean },
): Line {
  if (reason === 'Stopped' || isStopping)
    return { level: 'debug', message: 'hook was stopped because the operator stops', fields: { reason } }
  switch (afterFailure(task, retry, failures + 1).do) {
    case 'proceed':
    case 'abort':
      return {
        level: 'warn',
        message: 'hook failed: not retrying because of allowFailure',
        fields: { failures: failures + 1, reason },
      }
    case 'retry':
      return isPart
        ? { level: 'error', message: 'hook failed', fields: { reason } }
        : {
            level: 'error',
            message: 'hook failed: retrying',
            fields: { ...retryFields(task, retry, failures), reason },
          }
  }
}

/** For the log; `failures` are those before this one. */
export function retryFields(
  task: Pick<Task<unknown>, 'allowFailure'>,
  retry: Retry,
  failures: number,
): { readonly failures: number; readonly retryIn: string } {
  return { failures: failures + 1, retryIn: `${retryDelay(task, retry, failures + 1) / 1000}s` }
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
