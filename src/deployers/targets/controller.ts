/** Protects the Targets that deploy items use, and releases them, and with them their namespaces, when the last item is gone. */
import { runController, source } from '../../kube/controller/index.ts'
import { isNotFound, keyOf } from '../../kube/index.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { finalizer } from '../resources/annotations.ts'
import { type DeployItem, landscaperResources } from '../resources/types.ts'
import { isFullyProtected, isProtected, protectTarget, releaseTarget } from './protection.ts'

export async function runTargets({ client, runtime, caches, signal }: LandscaperDependencies): Promise<void> {
  const { items, targets } = caches

  async function reconcile(key: string) {
    const target = targets.get(key)
    if (target === undefined) return undefined
    const users = items.by('target', key)
    const isInstalled = users.some(({ metadata }) => metadata.finalizers?.includes(finalizer))
    // A changed reference to a secret, or a release that came between the check and the first run of an item.
    if (isInstalled && target.metadata.deletionTimestamp === undefined && !isFullyProtected(target))
      await protectTarget(client, target, signal)
    if (users.length > 0 || !isProtected(target) || (await hasUsers(target.metadata))) return undefined
    const others = [...targets.values()].filter(
      (other) => other.metadata.namespace === target.metadata.namespace && keyOf(other) !== key && isProtected(other),
    )
    await releaseTarget(client, target, others, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    return undefined
  }

  /** Asks the server, because the cache may not show the newest item. */
  async function hasUsers({ namespace = '', name }: { readonly namespace?: string; readonly name: string }) {
    const { items: found } = await client.of<DeployItem>(landscaperResources.deployItems).list({ namespace, signal })
    return found.some(({ spec }) => spec.target?.name === name)
  }

  const sources = [
    source(targets),
    source(items, ({ metadata, spec }) =>
      spec.target === undefined ? [] : [`${metadata.namespace}/${spec.target.name}`],
    ),
  ]
  await runController({ name: 'targets in use', runtime, sources, reconcile, concurrency: 4, signal })
}
