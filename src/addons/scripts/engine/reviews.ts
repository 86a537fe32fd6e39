/**
 * Runs of hooks for admission and conversion requests: they begin at once, in parallel and outside the queues, and are never retried. A
 * hook that takes too long is answered with a timeout.
 */
import { contextOf } from '../contexts/json-pieces.ts'
import { type ReviewElement, reviewContexts } from '../contexts/reviews.ts'
import type { Hook } from '../hook.ts'
import { failed, noValuesPatches, resultWithout } from '../run/result.ts'
import type { RunResult } from '../run/types.ts'
import { performRecorded, runOf } from './record.ts'
import type { RunContext } from './runs.ts'

export interface Review extends ReviewElement {
  /** Milliseconds until an answer is needed. */
  readonly timeout: number
  /** For a dry-run request the object patches of the hook are not applied. */
  readonly isDryRun: boolean
}

export class Reviews {
  readonly #context: RunContext
  readonly #running = new Set<Promise<RunResult>>()

  constructor(context: RunContext) {
    this.#context = context
  }

  async run(hook: Hook, review: Review, id: string): Promise<RunResult> {
    const { clock } = this.#context.runtime
    const { timeout } = review
    const running = this.#perform(hook, review, id).catch((error: unknown) =>
      resultWithout({ exit: undefined, duration: 0, failure: failed('NotStarted', String(error)) }),
    )
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
    let cancel = () => {}
    const late = new Promise<RunResult>((resolve) => {
      const failure = failed('Timeout', `took longer than ${timeout / 1000} s`)
      const timer = clock.after(timeout, () => resolve(resultWithout({ exit: undefined, duration: timeout, failure })))
      cancel = () => timer.cancel()
    })
    return Promise.race([running, late]).finally(() => cancel())
  }

  /** Resolves when all runs have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #perform(hook: Hook, review: Review, id: string): Promise<RunResult> {
    const { runtime, runs, metrics, source } = this.#context
    const { clock } = runtime
    const begun = clock.monotonic()
    await this.#listed(hook, review)
    const labels = { hook: hook.name, binding: review.binding.name, queue: '' }
    const fields = { ...labels, task: id, event: review.type }
    const names = { engine: this.#context.engine, task: id, binding: review.binding.name, attempt: 1 }
    const cause = `${review.type} request`
    const contexts = contextOf(reviewContexts(hook, review, source), runtime.files)
    const timeout = Math.max(Math.round(review.timeout - (clock.monotonic() - begun)), 1)
    const about = { run: runOf(hook, undefined, names), hook, cause, fields }
    const result = await performRecorded(
      about,
      { ...this.#context, timeout },
      {
        work: async (request) => {
          const ran = await runs.run({ ...request, contexts })
          const applied = review.isDryRun ? { ...ran, patches: [], valuesPatches: noValuesPatches } : ran
          return ran.failure?.reason === 'Stopped' ? ran : await runs.apply(hook, applied, 'review')
        },
        line: ({ failure }) => {
          if (failure === undefined) return { level: 'debug', message: 'hook answered' }
          const level = failure.reason === 'Stopped' ? 'debug' : 'error'
          return { level, message: 'hook failed to answer', fields: { reason: failure.reason } }
        },
      },
    )
    metrics.ran(labels, result)
    const { failure } = result
    if (failure === undefined) metrics.successLine(labels)
    else if (failure.reason !== 'Stopped') metrics.failureLine(hook, labels, { isAllowed: false })
    return result
  }

  /** The included snapshots must be complete before the hook runs; kinds that are not served are skipped. */
  async #listed(hook: Hook, { binding: { includeSnapshotsFrom } }: Review): Promise<void> {
    const { source } = this.#context
    const included = hook.config.kubernetes.filter(({ name }) => includeSnapshotsFrom.includes(name))
    await Promise.all(included.map(async (binding) => source.monitorOf(binding)?.settled()))
  }
}
