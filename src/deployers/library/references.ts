/** Resolves the Target and the Context of an item. Both are read from the item's own namespace, whatever the reference says. */
import { isNotFound } from '../../kube/index.ts'
import { apiVersion, type Context, type DeployItem, landscaperResources, type Target } from '../resources/types.ts'
import type { Branch } from './branch.ts'
import { contextName } from './caches.ts'
import { LandscaperError } from './errors.ts'
import { isFinal } from './phases.ts'
import type { DeployerWorld } from './world.ts'

/** Values of `lastError.reason`. */
const targetNotFound = 'TargetNotFound'
const contextNotFound = 'ContextNotFound'

export interface FoundTarget {
  readonly target: Target | undefined
  /** The item names a Target that does not exist. */
  readonly missing: LandscaperError | undefined
}

/** For an item of another type than `type` the cache is enough. */
export async function targetOf(world: DeployerWorld, item: DeployItem, type: string): Promise<FoundTarget> {
  const { name } = item.spec.target ?? {}
  if (name === undefined) return { target: undefined, missing: undefined }
  const namespace = item.metadata.namespace ?? ''
  const cached = world.caches.targets.get(`${namespace}/${name}`)
  if (cached !== undefined || item.spec.type !== type) return { target: cached, missing: undefined }
  try {
    const target = await world.client.of<Target>(landscaperResources.targets).get(name, { namespace })
    return { target, missing: undefined }
  } catch (error) {
    if (!isNotFound(error)) throw error
    return { target: undefined, missing: targetMissing(item, name) }
  }
}

export function targetMissing(
  { metadata: { namespace, deletionTimestamp } }: DeployItem,
  name: string,
): LandscaperError {
  const remedy =
    deletionTimestamp === undefined
      ? ''
      : ', so what the item installed cannot be deleted: create the Target again, or set the annotation landscaper.gardener.cloud/delete-without-uninstall: "true" on the item'
  return new LandscaperError(
    'ReadTarget',
    targetNotFound,
    `spec.target.name: there is no Target ${name} in namespace ${namespace}${remedy}`,
    { codes: ['ERR_CONFIGURATION_PROBLEM'], isAwaited: true },
  )
}

/** What the item failed without. */
export function awaitedBy({ status }: DeployItem): 'Target' | 'Context' | undefined {
  if (!isFinal(status?.phase)) return undefined
  if (status?.lastError?.reason === targetNotFound) return 'Target'
  return status?.lastError?.reason === contextNotFound ? 'Context' : undefined
}

export function hasContext(world: DeployerWorld, item: DeployItem): boolean {
  return world.caches.contexts.get(`${item.metadata.namespace}/${contextName(item)}`) !== undefined
}

/** For a deletion an empty Context is enough when the item's one is gone, as in a namespace that is being deleted. */
export async function contextOf(world: DeployerWorld, item: DeployItem, branch: Branch): Promise<Context> {
  const name = contextName(item)
  const namespace = item.metadata.namespace ?? ''
  const cached = world.caches.contexts.get(`${namespace}/${name}`)
  if (cached !== undefined) return cached
  try {
    return await world.client.of<Context>(landscaperResources.contexts).get(name, { namespace })
  } catch (error) {
    if (!isNotFound(error)) throw error
    if (branch === 'delete' || branch === 'abort')
      return { apiVersion, kind: landscaperResources.contexts.kind, metadata: { name, namespace } }
    throw new LandscaperError(
      'ReadContext',
      contextNotFound,
      `spec.context: there is no Context ${name} in namespace ${namespace}`,
      { codes: ['ERR_CONFIGURATION_PROBLEM'], isAwaited: true, cause: error },
    )
  }
}
