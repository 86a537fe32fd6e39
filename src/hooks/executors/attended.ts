/**
 * What executors have in common whose runs end with this process. Each run is kept until it is cancelled, so that it is started once and
 * its end can be observed for as long as the caller needs it.
 */
import type { Clock, Instant } from '../../runtime/index.ts'
import { LastLines, type LogLine } from '../logs/index.ts'
import type { FailureReason, Observation } from '../outcome/index.ts'
import { type Run, runKey } from '../run/index.ts'
import type { Executor, Started } from './executor.ts'

/** How an attended run ended. */
export type AttendedEnd =
  | { readonly state: 'succeeded'; readonly message?: string; readonly result?: unknown }
  | { readonly state: 'failed'; readonly reason: FailureReason; readonly message: string }

export interface Attendance {
  /** Aborts when the run is cancelled or this process stops. */
  readonly signal: AbortSignal
  print(line: LogLine): void
}

interface Attended {
  readonly ending: AbortController
  readonly printed: LastLines
  ended: Promise<void>
  observation: Observation
}

/** Characters. Enough for a stack trace, small enough to be kept for every run under way. */
const maxLogLength = 16 * 1024

export abstract class AttendedExecutor<Action> implements Executor<Action> {
  readonly family = 'attended'
  readonly #clock: Pick<Clock, 'now'>
  readonly #stop: AbortSignal
  readonly #runs = new Map<string, Attended>()

  /** Runs under way end with `stop`, and nothing is observed of their end: it says nothing about the hook. */
  constructor(clock: Pick<Clock, 'now'>, stop: AbortSignal) {
    this.#clock = clock
    this.#stop = stop
  }

  /** Carries the run out. What it rejects with is a run that failed, described by `failureOf`. */
  protected abstract attend(run: Run, action: Action, attendance: Attendance): Promise<AttendedEnd>

  protected failureOf(error: unknown): AttendedEnd {
    return { state: 'failed', reason: 'Failed', message: error instanceof Error ? error.message : String(error) }
  }

  /** Resolves at once; the run is under way. */
  start(run: Run, action: Action, onChange?: () => void): Promise<Started> {
    const key = runKey(run)
    if (this.#runs.has(key)) return Promise.resolve('started')
    const ending = new AbortController()
    const printed = new LastLines(maxLogLength)
    const signal = AbortSignal.any([ending.signal, this.#stop])
    const attended: Attended = {
      ending,
      printed,
      ended: Promise.resolve(),
      observation: { state: 'running', since: this.#clock.now() },
    }
    this.#runs.set(key, attended)
    const finish = (end: AttendedEnd): void => {
      if (signal.aborted) return
      attended.observation = { ...end, at: this.#clock.now() } satisfies { readonly at: Instant }
      onChange?.()
    }
    attended.ended = this.attend(run, action, { signal, print: ({ source, text }) => printed.add(text, source) }).then(
      finish,
      (error) => finish(this.failureOf(error)),
    )
    return Promise.resolve('started')
  }

  observe(run: Run): Observation {
    return this.#runs.get(runKey(run))?.observation ?? { state: 'absent' }
  }

  /** Resolves when the run has ended. */
  async cancel(run: Run): Promise<void> {
    const key = runKey(run)
    const attended = this.#runs.get(key)
    attended?.ending.abort()
    this.#runs.delete(key)
    await attended?.ended
  }

  async *logs(run: Run): AsyncIterable<LogLine> {
    yield* this.#runs.get(runKey(run))?.printed.lines ?? []
  }
}
