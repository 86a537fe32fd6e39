/**
 * Deletes the objects of an item, group after group, without waiting: the caller gets the objects that still exist and calls again later.
 * Objects of others and those with the policy `keep` are not deleted.
 */
import {
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  ResourceNotServed,
} from '../../kube/index.ts'
import { type CustomGroup, type DeletionGroup, defaultGroups, isInGroup, isSelected } from './deletion-groups.ts'
import { type Failure, failureOf } from './failure.ts'
import { describeReference, type ManagedResource, type ResourceReference, referenceTo } from './managed.ts'
import { mayDelete, type Owner } from './owner.ts'
import { inParallel } from './parallel.ts'
import { listObjects } from './read.ts'

export interface RemoveRequest {
  readonly client: KubeClient
  /** A client for another target of the item's namespace. */
  readonly clientOf: (targetName: string) => Promise<KubeClient>
  readonly owner: Owner
  readonly groups?: readonly DeletionGroup[] | undefined
  readonly signal: AbortSignal
}

export interface Remaining {
  readonly entry: ManagedResource
  /** Its deletionTimestamp; undefined before the deletion is requested. */
  readonly since: number | undefined
  /** The finalizers that block the deletion. */
  readonly finalizers: readonly string[]
}

const maxConcurrentDeletes = 16

/** The objects that still exist, in recorded order. Rejects when a deletion fails, after all objects of the group were tried. */
export async function removeObjects(
  entries: readonly ManagedResource[],
  request: RemoveRequest,
): Promise<readonly Remaining[]> {
  const deletable = entries.filter(({ policy }) => policy !== 'keep' && policy !== 'ignore')
  const groups = request.groups ?? defaultGroups
  for (const [index, group] of groups.entries()) {
    const members = deletable.filter((entry) => isInGroup(entry, group))
    const remaining = await removeGroup(group, members, request)
    if (remaining.length === 0) continue
    const later = deletable.filter((entry) => groups.slice(index + 1).some((other) => isInGroup(entry, other)))
    const waiting = later.filter((entry) => !members.includes(entry))
    return [...remaining, ...waiting.map((entry) => ({ entry, since: undefined, finalizers: [] }))]
  }
  return []
}

interface RemoveOptions {
  readonly client: KubeClient
  /** Undefined to delete objects of any owner. */
  readonly owner: Owner | undefined
  /** Removes finalizers too. */
  readonly force: boolean
  readonly signal: AbortSignal
}

async function removeGroup(
  group: DeletionGroup,
  members: readonly ManagedResource[],
  request: RemoveRequest,
): Promise<readonly Remaining[]> {
  const { predefinedResourceGroup: predefined, customResourceGroup: custom } = group
  const force = (predefined ?? custom)?.forceDelete === true
  const client = custom?.targetName === undefined ? request.client : await request.clientOf(custom.targetName)
  const everything = custom?.deleteAllResources === true
  const entries = everything ? await allSelected(client, custom, request.signal) : [...members].reverse()
  const failures: Failure[] = []
  const results = await inParallel(entries, maxConcurrentDeletes, async (entry) => {
    try {
      const owner = everything ? undefined : request.owner
      return await removeOne(entry, { client, owner, force, signal: request.signal })
    } catch (error) {
      request.signal.throwIfAborted()
      failures.push({ object: describeReference(entry.resource), error })
      return undefined
    }
  })
  if (failures.length > 0) throw failureOf('DeleteObjects', 'DeleteFailed', failures)
  return results.filter((one) => one !== undefined)
}

async function removeOne(
  entry: ManagedResource,
  { client, owner, force, signal }: RemoveOptions,
): Promise<Remaining | undefined> {
  const { apiVersion, kind, name, namespace } = entry.resource
  const at = namespace === '' ? {} : { namespace }
  try {
    const handle = await client.find(apiVersion, kind)
    const live = await handle.get(name, { ...at, signal })
    if (owner !== undefined && !mayDelete(live, owner, entry.resource)) return undefined
    const left = live.metadata.deletionTimestamp === undefined ? await requestDeletion(handle, live, signal) : live
    if (left === undefined) return undefined
    const { finalizers = [] } = left.metadata
    if (force && finalizers.length > 0) {
      // Safe without a version: `forceDelete` removes every finalizer, whichever were added since, and the object is being deleted.
      await handle.patch(name, { type: 'merge', value: { metadata: { finalizers: null } } }, { ...at, signal })
    }
    return { entry, since: Date.parse(left.metadata.deletionTimestamp ?? '') || undefined, finalizers }
  } catch (error) {
    // A kind that is no longer served has no objects.
    if (isNotFound(error) || error instanceof ResourceNotServed) return undefined
    // The uid precondition failed: the object was re-created between the two requests.
    if (isConflict(error)) return { entry, since: undefined, finalizers: [] }
    throw error
  }
}

/** The object if it still exists after the request. */
async function requestDeletion(
  handle: ResourceClient,
  live: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { name, namespace, uid } = live.metadata
  const answer = await handle.delete(name, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { preconditions: { uid } }),
    propagationPolicy: 'Background',
    signal,
  })
  if (answer.kind === 'Status') return undefined
  const left = answer as KubeObject
  return left.metadata.deletionTimestamp === undefined ? undefined : left
}

async function allSelected(
  client: KubeClient,
  { resources }: CustomGroup,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const found: ResourceReference[] = []
  for (const selector of resources) {
    try {
      const handle = await client.find(selector.apiVersion, selector.kind)
      for await (const item of listObjects(handle, { signal })) {
        const resource = { ...referenceTo(item), apiVersion: selector.apiVersion, kind: selector.kind }
        if (isSelected(resource, selector)) found.push(resource)
      }
    } catch (error) {
      if (!(error instanceof ResourceNotServed)) throw error
    }
  }
  return found.map((resource) => ({ policy: 'manage', resource }))
}
