/** Reconciles executions: watches them and their items, and decides only after the caches show the last own write. */
import { type Again, runController } from '../../kube/controller/controller.ts'
import { source } from '../../kube/controller/source.ts'
import { isConflict, isNamespaceEnding } from '../../kube/errors.ts'
import type { EventRecorder } from '../../kube/events/event.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { LandscaperError } from '../library/errors.ts'
import { labels } from '../resources/annotations.ts'
import { decideExecution, decideFailure, decideWaiting, type ExecutionDecision } from './decide.ts'
import { ExecutionWriter, quotaExceededReason, StaleExecution } from './writer.ts'

const conflictBackoffMs = 100
const name = 'executions'

export function runExecutions(
  { client, runtime, caches, signal }: LandscaperDependencies,
  events: EventRecorder,
): Promise<void> {
  const writer = new ExecutionWriter(client, signal)
  /** The resourceVersion of the last own write of each execution; the cache must show it before the next decision. */
  const ownVersions = new Map<string, number>()

  async function reconcile(key: string): Promise<Again | undefined> {
    const execution = caches.executions.get(key)
    if (execution === undefined) return void ownVersions.delete(key)
    if (Number(execution.metadata.resourceVersion) < (ownVersions.get(key) ?? 0)) return undefined
    const now = runtime.clock.now()
    const perform = async (decision: ExecutionDecision) => {
      runtime.log.debug('decided', { execution: key, why: decision.why })
      const version = await writer.perform(execution, decision, now)
      if (version !== undefined) ownVersions.set(key, Number(version))
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
      // The execution changed since it was read; decide again once the cache shows the change.
      if (isConflict(error) || error instanceof StaleExecution) return { after: conflictBackoffMs }
      // The execution itself is deleted next.
      if (isNamespaceEnding(error)) return undefined
      throw error
    }
  }

  const queue = createWorkQueue(runtime, { name, limits: { base: 100, cap: 60_000, rate: 100 } })
  const sources = [
    source(caches.executions),
    source(caches.items, ({ metadata }) => {
      const owner = metadata.labels?.[labels.managedBy]
      return owner === undefined ? [] : [`${metadata.namespace}/${owner}`]
    }),
  ]
  return runController({ name, runtime, queue, sources, reconcile, concurrency: 16, signal })
}
