/** Reconciles executions: watches them and their items, and decides only after the caches show the last own write. */
import { OwnWrites, type ReconcileResult, runController, source } from '../../kube/controller/index.ts'
import type { EventRecorder } from '../../kube/index.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { LandscaperError } from '../library/errors.ts'
import { labels } from '../resources/annotations.ts'
import { decideExecution, decideFailure, decideWaiting, type ExecutionDecision } from './decide.ts'
import { ExecutionWriter, quotaExceededReason, StaleExecution } from './writer.ts'

const name = 'executions'

export function runExecutions(
  { client, runtime, caches, signal }: LandscaperDependencies,
  events: EventRecorder,
): Promise<void> {
  const writer = new ExecutionWriter(client, signal)
  const ownWrites = new OwnWrites(runtime.clock)

  async function reconcile(key: string): Promise<ReconcileResult | undefined> {
    const execution = caches.executions.get(key)
    if (execution === undefined) return void ownWrites.forget(key)
    const pending = ownWrites.pending(key, () => execution.metadata.resourceVersion)
    if (pending !== undefined) return pending
    const now = runtime.clock.now()
    const perform = async (decision: ExecutionDecision) => {
      runtime.log.debug('decided', { execution: key, why: decision.why })
      const written = await writer.perform(execution, decision, now)
      if (written !== undefined) ownWrites.updated(key, written)
      const { phase, lastError } = decision.status ?? {}
      const hasFailed = phase === 'Failed' && execution.status?.phase !== 'Failed'
      if (lastError !== undefined && (hasFailed || lastError !== execution.status?.lastError))
        events.record(execution, { type: 'Warning', reason: lastError.reason, note: lastError.message })
    }
    try {
      await perform(decideExecution(execution, caches.items.by('execution', key), now)).catch(
        async (error: unknown) => {
          // The author of the execution must see the error in its status, not only in our log.
          if (error instanceof LandscaperError)
            await perform((error.reason === quotaExceededReason ? decideWaiting : decideFailure)(execution, error, now))
          throw error
        },
      )
      return undefined
    } catch (error) {
      // As after a conflict: decide again when the cache shows the change.
      if (error instanceof StaleExecution) return { retry: true }
      throw error
    }
  }

  const limits = { base: 100, cap: 60_000, rate: 100 }
  const sources = [
    source(caches.executions),
    source(caches.items, ({ metadata }) => {
      const owner = metadata.labels?.[labels.managedBy]
      return owner === undefined ? [] : [`${metadata.namespace}/${owner}`]
    }),
  ]
  return runController({ name, runtime, limits, sources, reconcile, concurrency: 16, signal })
}
