/** The identity of a script hook's run, and the recording of its start and end. */
import { type EndedRun, type Recorder, type Run, runKey } from '../../../hooks/index.ts'
import type { LogFields, Runtime } from '../../../runtime/index.ts'
import type { Cause } from '../contexts/cause.ts'
import type { Hook } from '../hook.ts'
import { resultWithout } from '../run/result.ts'
import type { RunLabels, RunRequest, RunResult } from '../run/types.ts'

export interface RunNames {
  /** When the engine started: task numbers begin again with it. */
  readonly engine: string
  readonly task: string
  readonly binding: string
  readonly attempt: number
}

interface RecordContext {
  readonly runtime: Runtime
  readonly recorder: Recorder
  readonly timeout?: number
  readonly signal: AbortSignal
}

interface Recorded {
  readonly run: Run
  readonly hook: Hook
  readonly cause: string
  readonly fields: RunLabels & LogFields
}

interface Recording {
  work(request: Omit<RunRequest, 'contexts'>): Promise<RunResult>
  line(result: RunResult): Line
}

/** The log line of the end of a run. */
export type Line = NonNullable<EndedRun['line']> & { readonly fields?: LogFields }

/** Performs a run inside its span and records its start and end. */
export async function performRecorded(
  { run, hook, cause, fields }: Recorded,
  { runtime, recorder, timeout, signal }: RecordContext,
  { work, line }: Recording,
): Promise<RunResult> {
  const action = actionOf(hook)
  const startedAt = runtime.clock.now()
  const key = runKey(run)
  const { binding, queue, task, event } = fields
  const labels = { binding, queue, task, event }
  recorder.started({ run, action, cause, at: startedAt, fields })
  const finish = (result: RunResult, traceId: string | undefined, { fields: more, ...said }: Line): RunResult => {
    const end = { ...endOf(result, startedAt), line: said, fields: { ...fields, ...more } }
    recorder.ended({ run, action, cause, traceId, ...end })
    return result
  }
  return recorder.during(run, async ({ traceparent, set }) => {
    const request = {
      hook,
      log: { ...labels, run: key },
      signal,
      traceparent,
      ...(timeout === undefined ? {} : { timeout }),
    }
    const traceId = traceparent?.split('-')[1]
    try {
      const result = await work(request)
      set({ ...labels, ...(result.failure && { failure: result.failure.reason }) })
      return finish(result, traceId, line(result))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const result = resultWithout({ exit: undefined, duration: 0, failure: { reason: 'NotStarted', message } })
      // The caller logs the error.
      finish(result, traceId, { level: 'debug', message: 'hook could not be run' })
      throw error
    }
  })
}

/** The subject is the module of a module hook, the object of a watch event, or else the hook itself. */
export function runOf(hook: Hook, cause: Cause | undefined, { engine, task, binding, attempt }: RunNames): Run {
  const subject = { ...subjectOf(hook, cause), uid: engine }
  return { surface: 'addons', subject, lifecycle: task, point: binding, hook: hook.name, attempt }
}

function actionOf({ executor }: Hook): string {
  return executor === 'worker' ? 'function' : 'process'
}

/** Why the hook runs, for people: the first of its causes and how many others share the run. */
export function causeText(causes: readonly Cause[]): string {
  const [first, ...others] = causes
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  switch (first?.kind) {
    case undefined:
    case 'startup':
      return 'start of the operator'
    case 'order':
      return first.order
    case 'schedule':
      return `schedule ${first.binding.crontab}${more}`
    case 'synchronization':
      return `Synchronization of ${first.binding.kind}${more}`
    case 'event':
      return `${first.event.watchEvent} ${first.binding.kind} ${first.event.seen.key}${more}`
  }
}

function endOf({ failure, duration, log }: RunResult, startedAt: number): Omit<EndedRun, 'run' | 'action'> {
  const times = { startedAt, endedAt: startedAt + Math.round(duration) }
  if (failure === undefined) return { outcome: 'succeeded', ...times, log }
  return { outcome: failure.reason === 'Stopped' ? 'cancelled' : 'failed', ...times, message: failure.message, log }
}

function subjectOf({ name, scope }: Hook, cause: Cause | undefined): Omit<Run['subject'], 'uid'> {
  const module = scope === 'module' ? /([^/]+)\/hooks\//.exec(name)?.[1] : undefined
  if (module !== undefined) return { kind: 'Module', namespace: '', name: module }
  if (cause?.kind !== 'event') return { kind: 'Hook', namespace: '', name }
  const [object = '', namespace = ''] = cause.event.seen.key.split('/').toReversed()
  return { kind: cause.binding.kind, namespace, name: object }
}
