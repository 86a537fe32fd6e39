/** Resolves the Target and the Context of an item. Both are read from the item's own namespace, whatever the reference says. */
import { isNotFound } from '../../kube/index.ts'
import { type Context, type DeployItem, landscaperResources, type Target } from '../resources/types.ts'
import { contextName } from './caches.ts'
import { LandscaperError } from './errors.ts'
import type { DeployerWorld } from './world.ts'

/** Rejects when the Target of an item of `type` does not exist; for items of other types the cache is enough. */
export async function targetOf(world: DeployerWorld, item: DeployItem, type: string): Promise<Target | undefined> {
  const { name } = item.spec.target ?? {}
  if (name === undefined) return undefined
  const namespace = item.metadata.namespace ?? ''
  const cached = world.caches.targets.get(`${namespace}/${name}`)
  if (cached !== undefined || item.spec.type !== type) return cached
  try {
    return await world.client.of<Target>(landscaperResources.targets).get(name, { namespace })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new LandscaperError(
      'ReadTarget',
      'TargetNotFound',
      `spec.target.name: there is no Target ${name} in namespace ${namespace}`,
      { cause: error },
    )
  }
}

export async function contextOf(world: DeployerWorld, item: DeployItem): Promise<Context> {
  const name = contextName(item)
  const namespace = item.metadata.namespace ?? ''
  const cached = world.caches.contexts.get(`${namespace}/${name}`)
  if (cached !== undefined) return cached
  try {
    return await world.client.of<Context>(landscaperResources.contexts).get(name, { namespace })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new LandscaperError(
      'ReadContext',
      'ContextNotFound',
      `spec.context: there is no Context ${name} in namespace ${namespace}`,
      { cause: error },
    )
  }
}
