/** The loop around the decision: executions and their items are watched, and nothing is decided before the caches show what was written. */
import type { KubeClient } from '../../kube/client/client.ts'
import { type Again, runController } from '../../kube/controller/controller.ts'
import { source } from '../../kube/controller/source.ts'
import { isConflict, isNamespaceEnding } from '../../kube/errors.ts'
import type { EventRecorder } from '../../kube/events/event.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { LandscaperCaches } from '../library/caches.ts'
import { LandscaperError } from '../library/errors.ts'
import { labels } from '../resources/words.ts'
import { decideExecution, decideFailure, decideWaiting, type ExecutionDecision } from './decide.ts'
import { ExecutionHands, Overtaken, quotaReason } from './perform.ts'

const conflictPause = 100
const name = 'executions'

export function runExecutions(
  client: KubeClient,
  runtime: Runtime,
  caches: LandscaperCaches,
  events: EventRecorder,
  signal: AbortSignal,
): Promise<void> {
  const hands = new ExecutionHands(client, signal)
  /** Versions the caches must have reached before anybody decides again. */
  const written = new Map<string, number>()

  async function reconcile(key: string): Promise<Again | undefined> {
    const execution = caches.executions.get(key)
    if (execution === undefined) return void written.delete(key)
    if (Number(execution.metadata.resourceVersion) < (written.get(key) ?? 0)) return undefined
    const now = runtime.clock.now()
    const carryOut = async (decision: ExecutionDecision) => {
      runtime.log.debug('decided', { execution: key, why: decision.why })
      const version = await hands.perform(execution, decision, now)
      if (version !== undefined) written.set(key, Number(version))
      const { phase, lastError } = decision.status ?? {}
      const hasFailed = phase === 'Failed' && execution.status?.phase !== 'Failed'
      if (lastError !== undefined && (hasFailed || lastError !== execution.status?.lastError))
        events.record(execution, { type: 'Warning', reason: lastError.reason, note: lastError.message })
    }
    try {
      await carryOut(decideExecution(execution, caches.items.by('execution', key), now)).catch(
        async (error: unknown) => {
          // What nobody but its author can mend must not stand in our log alone.
          if (error instanceof LandscaperError)
            await carryOut((error.reason === quotaReason ? decideWaiting : decideFailure)(execution, error, now))
          throw error
        },
      )
      return undefined
    } catch (error) {
      // Somebody else was faster; what the caches are about to show is decided about then.
      if (isConflict(error) || error instanceof Overtaken) return { after: conflictPause }
      // Its own deletion follows.
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
