/** Records the runs of a deployer's hooks: those of configuration and those that are functions. */
import { type EndedObservation, LastLines, type Page, type Recorder, type Run, runKey } from '../../hooks/index.ts'
import type { Instant, Runtime } from '../../runtime/index.ts'
import { isThenable } from './deadline.ts'
import type { HookArguments, HookResult, ReconcileExtensionHook } from './registry.ts'
import { runOfReconcile } from './run.ts'

/** What the work of a run is given to be followed by. */
export interface RunOutput {
  /** W3C trace context of the run's span; undefined when nothing is exported. */
  readonly traceparent: string | undefined
  /** `runKey` of the run. */
  readonly key: string
  /** Adds a line to the log that is kept of the run. */
  addLine(text: string): void
}

type Answer = HookResult | null | undefined

/** Ended Jobs are observed again by every reconcile of the same run of the item. */
const maxEndedJobs = 2_000

/** By the error a run ended with, so that the event about the error can name the run. */
const failedRuns = new WeakMap<object, string>()

export class HookRecords {
  readonly #recorder: Recorder
  readonly #runtime: Runtime
  /** Runs that ended before it were recorded by the process before this one. */
  readonly #since: Instant
  readonly #endedJobs = new Set<string>()
  #count = 0

  constructor(recorder: Recorder, runtime: Runtime) {
    this.#recorder = recorder
    this.#runtime = runtime
    this.#since = runtime.clock.now()
  }

  /** Carries out a run of this process inside its span. */
  attend<T>(run: Run, action: string, given: HookArguments, work: (output: RunOutput) => Promise<T>): Promise<T> {
    const cause = causeOf(given)
    const key = runKey(run)
    const lines = new LastLines()
    this.#recorder.started({ run, action, cause })
    return this.#recorder.during(run, async ({ traceparent }) => {
      const about = { run, action, cause, page: pageOf(given), traceId: traceparent?.split('-')[1] }
      try {
        const result = await work({ traceparent, key, addLine: (text) => lines.add(text) })
        this.#recorder.ended({ ...about, outcome: 'succeeded', log: lines.text })
        return result
      } catch (error) {
        this.#failed(about, given, error, lines.text)
        throw error
      }
    })
  }

  jobStarted(run: Run, given: HookArguments): void {
    this.#recorder.started({ run, action: 'job', cause: causeOf(given) })
  }

  /** Records the end of a Job once, however often it is observed. */
  jobEnded(run: Run, given: HookArguments, seen: EndedObservation, readLog: () => Promise<string | undefined>): void {
    const key = runKey(run)
    if (seen.at < this.#since || this.#endedJobs.has(key)) return
    this.#endedJobs.add(key)
    const [oldest] = this.#endedJobs
    if (this.#endedJobs.size > maxEndedJobs && oldest !== undefined) this.#endedJobs.delete(oldest)
    this.#recorder.ended({
      ...{ run, action: 'job', cause: causeOf(given), page: pageOf(given), log: readLog() },
      endedAt: seen.at,
      outcome: seen.state,
      ...(seen.state === 'failed' ? { message: seen.message } : {}),
    })
  }

  /**
   * Calls a hook that is a function. One that answers at once and does not fail is part of the reconcile: it is counted, and not recorded
   * as a run of its own.
   */
  call(hook: ReconcileExtensionHook, name: string, given: HookArguments): Answer | Promise<Answer> {
    const startedAt = this.#runtime.clock.now()
    const about = () => {
      const run = runOfReconcile(name, given, this.nextCount())
      return { run, action: 'function', cause: causeOf(given), startedAt }
    }
    let answer: Answer | Promise<Answer>
    try {
      answer = hook(given)
    } catch (error) {
      this.#failed({ ...about(), page: pageOf(given) }, given, error)
      throw error
    }
    if (!isThenable(answer)) {
      this.#recorder.counted({ surface: 'deployers' }, 'function')
      return answer
    }
    const known = about()
    this.#recorder.started({ ...known, at: startedAt })
    return Promise.resolve(answer).then(
      (result) => {
        this.#recorder.ended({ ...known, outcome: 'succeeded', line: { level: 'debug', message: 'run succeeded' } })
        return result
      },
      (error: unknown) => {
        this.#failed({ ...known, page: pageOf(given) }, given, error)
        throw error
      },
    )
  }

  /** A number that no other reconcile of this process has. */
  nextCount(): number {
    this.#count += 1
    return this.#count
  }

  #failed(
    about: { readonly run: Run; readonly action: string; readonly page: Page | undefined },
    { signal }: HookArguments,
    error: unknown,
    log = '',
  ): void {
    const message = error instanceof Error ? error.message : String(error)
    if (typeof error === 'object' && error !== null) failedRuns.set(error, runKey(about.run))
    this.#recorder.ended({ ...about, outcome: signal.aborted ? 'cancelled' : 'failed', message, log })
  }
}

/** The key of the run that failed with this error, or with one of its causes. */
export function failedRunOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return failedRuns.get(error) ?? failedRunOf(error.cause)
}

function causeOf({ deployItem }: HookArguments): string {
  if (deployItem === undefined) return 'reconcile'
  const { metadata, status } = deployItem
  return `reconcile of generation ${metadata.generation ?? 0}${status?.phase === undefined ? '' : ` in phase ${status.phase}`}`
}

function pageOf({ deployItem }: HookArguments): Page | undefined {
  if (deployItem === undefined) return undefined
  const { namespace = '', name, uid = '' } = deployItem.metadata
  const owner = { apiVersion: deployItem.apiVersion ?? '', kind: 'DeployItem', name, uid }
  return { surface: 'deployers', namespace, owner }
}
