/** Enforces the Landscaper timeouts of deploy items: pickup, progressing and abort. */
import { type ReconcileResult, runController, source } from '../../kube/controller/index.ts'
import { isNotFound } from '../../kube/index.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { type DeployItem, landscaperResources } from '../resources/types.ts'
import { decideTimeouts, type TimeoutDecision, type Timeouts } from './decide.ts'

/** A conflict is retried after 100 ms first: by then the cache shows the other write. */
const limits = { base: 100 }

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

  async function reconcile(key: string): Promise<ReconcileResult | undefined> {
    const item = caches.items.get(key)
    if (item === undefined) return undefined
    const { spec, metadata } = item
    const isTargetMissing =
      spec.target !== undefined && caches.targets.get(`${metadata.namespace}/${spec.target.name}`) === undefined
    const decision = decideTimeouts(item, timeouts, { now: runtime.clock.now(), isTargetMissing })
    try {
      await perform(item, decision)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return decision.after === undefined ? undefined : { requeueAfterMs: decision.after }
  }

  const name = 'deploy item timeouts'
  const sources = [source(caches.items), { synced: caches.targets.synced, feed: () => () => {} }]
  return runController({ name, runtime, limits, sources, reconcile, concurrency: 16, signal })
}
