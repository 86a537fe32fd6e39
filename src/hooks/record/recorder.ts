/**
 * Records the start and the end of every run, for every surface alike: journal entry, metrics, Kubernetes event, span, log line and the
 * operator's memory, all with the same key. Recording decides nothing and never fails a run.
 */
import type { EventRecorder } from '../../kube/index.ts'
import type { ObjectReference } from '../../kube/kinds/index.ts'
import {
  type Instant,
  type LogFields,
  type LogLevel,
  type Runtime,
  redactText,
  type Span,
} from '../../runtime/index.ts'
import { type Run, runKey } from '../run/index.ts'
import type { JournalEntry, RunOutcome } from './entry.ts'
import { traceIdOf } from './ids.ts'
import type { Journal } from './journal.ts'
import { type RememberedRun, RunMemory, recordOf } from './memory.ts'
import { hookMetrics } from './metrics.ts'
import type { Page } from './stored-page.ts'

export interface StartedRun {
  readonly run: Run
  readonly action: string
  readonly cause?: string
  readonly revision?: JournalEntry['revision'] | undefined
  /** @default now */
  readonly at?: Instant | undefined
  /** What its line in the log has besides the key. */
  readonly fields?: LogFields
}

export interface EndedRun extends Omit<StartedRun, 'at'> {
  readonly outcome: RunOutcome
  /** Unknown for runs that were seen only after their end. */
  readonly startedAt?: Instant | undefined
  /** @default now */
  readonly endedAt?: Instant | undefined
  readonly message?: string | undefined
  /** Of the span that `during` opened. */
  readonly traceId?: string | undefined
  /** Where it is journaled. @default the page of the recorder, or nowhere */
  readonly page?: Page | undefined
  /** The entry in its page, where a surface has a form of its own. @default everything that is recorded of the run */
  readonly entry?: JournalEntry | undefined
  /** Its log, or the log that is still being read. */
  readonly log?: string | Promise<string | undefined> | undefined
  /** What the log line says instead of the usual message. */
  readonly line?: { readonly level: LogLevel; readonly message: string } | undefined
}

export interface RecorderOptions {
  /** @default a memory of its own */
  readonly memory?: RunMemory | undefined
  /** @default nothing is journaled */
  readonly journal?: Journal | undefined
  /** Where runs are journaled that name no page of their own. @default nowhere */
  readonly page?: Page | undefined
  /** Writes an event about each failed run. @default none: the surface writes events of its own */
  readonly failures?: FailureEvents | undefined
}

interface Times {
  readonly startedAt: Instant | undefined
  readonly endedAt: Instant
}

/** For a surface whose runs are about no object that an event could be about. */
export interface FailureEvents {
  readonly events: Pick<EventRecorder, 'record'>
  readonly regarding: ObjectReference
}

/** Characters. The page of a subject has room for a hundred runs and their logs. */
const maxMessageLength = 4_000

const usualLines: Readonly<Record<RunOutcome, { readonly level: LogLevel; readonly message: string }>> = {
  succeeded: { level: 'info', message: 'run succeeded' },
  failed: { level: 'warn', message: 'run failed' },
  cancelled: { level: 'info', message: 'run cancelled' },
}

export class Recorder {
  readonly #runtime: Runtime
  readonly #memory: RunMemory
  readonly #journal: Journal | undefined
  readonly #page: Page | undefined
  readonly #failures: FailureEvents | undefined
  readonly #count: ReturnType<typeof hookMetrics>

  constructor(runtime: Runtime, { memory = new RunMemory(), journal, page, failures }: RecorderOptions = {}) {
    this.#runtime = runtime
    this.#memory = memory
    this.#journal = journal
    this.#page = page
    this.#failures = failures
    this.#count = hookMetrics(runtime.metrics)
  }

  started({ run, action, cause, revision, at, fields }: StartedRun): void {
    const key = runKey(run)
    const startedAt = at ?? this.#runtime.clock.now()
    const end = { endedAt: undefined, message: undefined, traceId: undefined, log: undefined }
    this.#memory.started({ key, run, action, cause, revision, outcome: 'running', startedAt, ...end })
    this.#runtime.log.debug('run started', { ...(fields ?? fieldsOf(run)), run: key })
  }

  /** Runs `work` inside the span of the run. */
  during<T>(run: Run, work: (span: Span) => Promise<T>): Promise<T> {
    const key = runKey(run)
    return this.#runtime.traces.span(
      `hook ${run.hook}`,
      (span) => {
        span.set({ run: key, surface: run.surface, point: run.point })
        return work(span)
      },
      () => traceIdOf(key),
    )
  }

  ended(given: EndedRun): void {
    const end = withSafeMessage(given)
    const { run, action, outcome } = end
    const key = runKey(run)
    const endedAt = end.endedAt ?? this.#runtime.clock.now()
    const startedAt = end.startedAt ?? this.#memory.running({ surface: run.surface, key })?.startedAt
    const seconds = startedAt === undefined ? undefined : Math.max(0, endedAt - startedAt) / 1000
    this.#count({ surface: run.surface, action, outcome, seconds })
    const traceId = end.traceId ?? this.#exportSpan(end, key, { startedAt, endedAt })
    this.#keep(end, key, { startedAt, endedAt, traceId })
    this.#say(end, key, seconds)
    this.#writeEvent(end, key)
  }

  /** Journals a run that ended before this process could see it. The process that saw it may have counted it, so it is not counted here. */
  foundEnded(page: Page, entry: JournalEntry, log: Promise<string | undefined>): void {
    this.#journal?.note(page, safeMessageOf(entry), log)
  }

  /** Counts a run that is not worth a record: a function that answered at once and had nothing to say. */
  counted({ surface }: Pick<Run, 'surface'>, action: string): void {
    this.#count({ surface, action, outcome: 'succeeded', seconds: undefined })
  }

  /** Writes the page of the journal soon instead of with the next interval. */
  keep(page: Page): void {
    this.#journal?.keep(page)
  }

  /** Writes what is left of the journal; called before the process ends. */
  async close(): Promise<void> {
    await this.#journal?.close()
  }

  #exportSpan(
    { run, action, outcome, message }: EndedRun,
    key: string,
    { startedAt, endedAt }: Times,
  ): string | undefined {
    // Not of those that had a span of their own around their work: that one records, or nothing does.
    if (action === 'process' || action === 'function') return undefined
    return this.#runtime.traces.ended({
      name: `hook ${run.hook}`,
      startedAt: startedAt ?? endedAt,
      endedAt,
      traceId: traceIdOf(key),
      attributes: { run: key, surface: run.surface, point: run.point, outcome },
      ...(outcome === 'failed' ? { failure: message ?? 'failed' } : {}),
    })
  }

  #keep(
    { run, action, cause, revision, outcome, message, page = this.#page, entry, log }: EndedRun,
    key: string,
    { startedAt, endedAt, traceId }: Times & { readonly traceId: string | undefined },
  ): void {
    const { surface } = run
    const why = cause ?? this.#memory.running({ surface, key })?.cause
    const output = typeof log === 'string' && log !== '' ? redactText(log) : undefined
    const ended = { key, run, action, cause: why, revision, outcome, startedAt, endedAt, message, traceId, log: output }
    this.#memory.ended(ended)
    const arriving = log instanceof Promise ? log : undefined
    if (page !== undefined) this.#journal?.note(page, entry ?? entryOf(ended), arriving)
    void arriving?.then(
      (read) => void (read && this.#memory.addLog({ surface, key }, read)),
      () => undefined,
    )
  }

  #say({ run, fields, outcome, message, line = usualLines[outcome] }: EndedRun, key: string, seconds?: number): void {
    this.#runtime.log[line.level](line.message, {
      ...(fields ?? fieldsOf(run)),
      ...(message === undefined ? {} : { error: message }),
      ...(seconds === undefined ? {} : { seconds }),
      run: key,
    })
  }

  #writeEvent({ run, outcome, message = '' }: EndedRun, key: string): void {
    if (this.#failures === undefined || outcome !== 'failed') return
    const { events, regarding } = this.#failures
    const note = `hook ${run.hook} at ${run.point} failed (run ${key}): ${message}`
    events.record(regarding, { type: 'Warning', reason: 'HookFailed', action: 'RunHook', note })
  }
}

/** A message may quote what a server or a program said. */
function withSafeMessage(end: EndedRun): EndedRun {
  return { ...safeMessageOf(end), ...(end.entry === undefined ? {} : { entry: safeMessageOf(end.entry) }) }
}

function safeMessageOf<T extends { readonly message?: string | undefined }>(described: T): T {
  const { message } = described
  if (message === undefined) return described
  const text = redactText(message)
  return { ...described, message: text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text }
}

function entryOf(run: RememberedRun & { readonly outcome: RunOutcome; readonly endedAt: Instant }): JournalEntry {
  const { outcome, endedAt } = run
  return { ...recordOf(run), outcome, endedAt: new Date(endedAt).toISOString() }
}

function fieldsOf({ surface, subject, point, hook, attempt }: Run): LogFields {
  const { kind, namespace, name } = subject
  return { surface, subject: `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`, point, hook, attempt }
}
