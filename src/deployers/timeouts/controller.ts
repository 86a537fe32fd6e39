/** Enforces the Landscaper timeouts of deploy items: pickup, progressing and abort. */
import { type Again, runController } from '../../kube/controller/controller.ts'
import { source } from '../../kube/controller/source.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { type DeployItem, landscaperResources } from '../resources/types.ts'
import { decideTimeouts, type TimeoutDecision, type Timeouts } from './decide.ts'

const conflictBackoffMs = 100

export function runTimeouts(
  { client, runtime, caches, signal }: LandscaperDependencies,
  timeouts: Timeouts,
): Promise<void> {
  const items = client.of<DeployItem>(landscaperResources.deployItems)

  async function perform(item: DeployItem, { status, annotations }: TimeoutDecision): Promise<void> {
    const { name, namespace = '', resourceVersion } = item.metadata
    if (status !== undefined) await items.update({ ...item, status }, { subresource: 'status', signal })
    if (annotations === undefined) return
    const value = { metadata: { resourceVersion, annotations } }
    await items.patch(name, { type: 'merge', value }, { namespace, signal })
  }

  async function reconcile(key: string): Promise<Again | undefined> {
    const item = caches.items.get(key)
    if (item === undefined) return undefined
    const { spec, metadata } = item
    const isTargetMissing =
      spec.target !== undefined && caches.targets.get(`${metadata.namespace}/${spec.target.name}`) === undefined
    const decision = decideTimeouts(item, timeouts, { now: runtime.clock.now(), isTargetMissing })
    try {
      await perform(item, decision)
    } catch (error) {
      if (isConflict(error)) return { after: conflictBackoffMs }
      if (!isNotFound(error)) throw error
    }
    return decision.after === undefined ? undefined : { after: decision.after }
  }

  const name = 'deploy item timeouts'
  const queue = createWorkQueue(runtime, { name })
  const sources = [source(caches.items), { synced: caches.targets.synced, feed: () => () => {} }]
  return runController({ name, runtime, queue, sources, reconcile, concurrency: 16, signal })
}
