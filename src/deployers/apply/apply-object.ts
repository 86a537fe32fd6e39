/**
 * Creates or updates one object, or leaves it unchanged, as its policy says. Decides from the live object, not from the record, and writes
 * nothing when nothing would change.
 */
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectProgress,
  type ResourceClient,
} from '../../kube/index.ts'
import { equal } from '../../patch/index.ts'
import type { Json } from '../../runtime/index.ts'
import { LandscaperError } from '../library/errors.ts'
import { readinessOf } from '../readiness/default-rules.ts'
import { fingerprint, isUnchanged } from './fingerprint.ts'
import { threeWayPatch, withLastFields } from './last-fields.ts'
import { describeReference, type ManagedResource, referenceTo } from './managed.ts'
import { isOwned, type Owner, withOwner } from './owner.ts'
import type { Placed } from './scope.ts'
import { type Strategy, updatedObject } from './strategy.ts'

export interface WriteOptions {
  readonly client: KubeClient
  readonly owner: Owner
  readonly strategy: Strategy
  /** Server-side apply takes fields from other managers instead of reporting a conflict. */
  readonly force: boolean
  readonly signal: AbortSignal
}

/** Attempts after conflicts with other writers. */
const maxAttempts = 5

/** An object after its write: its entry in the record, and whether it is ready. The object itself is not kept, because an item has many and its server chooses their size. */
export interface AppliedObject {
  readonly entry: ManagedResource
  readonly progress: ObjectProgress
}

/** Undefined when the policy says that the object is not the item's. */
export async function applyObject(
  placed: Placed,
  recorded: ManagedResource | undefined,
  options: WriteOptions,
): Promise<AppliedObject | undefined> {
  const { client, owner, strategy, signal } = options
  const owned = withOwner(placed.object, owner)
  const manifest = strategy === 'patch' ? withLastFields(owned) : owned
  const handle = client.of(placed.type)
  const record = (live: KubeObject) => {
    const applied = fingerprint(manifest, strategy, live)
    return { entry: { policy: placed.policy, resource: referenceTo(live), applied }, progress: readinessOf(live) }
  }
  // An object without a record most likely does not exist, so it is created without reading first.
  let live = recorded === undefined ? undefined : await find(handle, manifest, signal)
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (live === undefined) return record(await create(handle, manifest, options))
      if (live.metadata.deletionTimestamp !== undefined) throw deletionError(live)
      if (placed.policy === 'fallback' && !isOwned(live, owner)) return undefined
      if (placed.policy === 'immutable') return isOwned(live, owner) ? record(live) : undefined
      const now = record(live)
      if (isUnchanged(recorded?.applied, now.entry.applied, manifest, live)) return now
      return record(await update(handle, manifest, live, options))
    } catch (error) {
      const isRace = isAlreadyExists(error) || isNotFound(error) || (isConflict(error) && !isFieldConflict(error))
      if (!isRace || attempt === maxAttempts) throw error
      const found = await find(handle, manifest, signal)
      // Create failed and the object does not exist: its namespace is missing, which the caller reports.
      if (found === undefined && live === undefined) throw error
      live = found
    }
  }
}

async function find(handle: ResourceClient, { metadata }: KubeObject, signal: AbortSignal) {
  try {
    return await handle.get(metadata.name, { ...at(metadata), signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function create(handle: ResourceClient, manifest: KubeObject, options: WriteOptions): Promise<KubeObject> {
  const { strategy, owner, force, signal } = options
  if (strategy === 'serverSideApply') {
    return handle.apply(manifest, { fieldManager: owner.fieldManager, force, signal })
  }
  return handle.create(manifest, { fieldManager: owner.fieldManager, signal })
}

async function update(
  handle: ResourceClient,
  manifest: KubeObject,
  live: KubeObject,
  { strategy, owner, force, signal }: WriteOptions,
): Promise<KubeObject> {
  const { fieldManager } = owner
  if (strategy === 'serverSideApply') return handle.apply(manifest, { fieldManager, force, signal })
  const next = updatedObject(strategy, live, manifest, owner)
  if (equal(next as unknown as Json, live as unknown as Json)) return live
  if (strategy === 'patch') {
    // Safe without a version: the strategy `patch` sets only the fields of this manifest and the last one, whatever else changed.
    const patch = { type: 'merge', value: threeWayPatch(live, manifest, owner) } as const
    return handle.patch(manifest.metadata.name, patch, { ...at(manifest.metadata), fieldManager, signal })
  }
  return handle.update(next, { fieldManager, signal })
}

function at({ namespace }: KubeObject['metadata']): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

function deletionError(live: KubeObject): Error {
  const what = describeReference(referenceTo(live))
  return new LandscaperError('ApplyObjects', 'ObjectBeingDeleted', `${what} is being deleted and cannot be updated.`)
}

/** Two field managers set different values: a retry cannot succeed. */
export function isFieldConflict(error: unknown): boolean {
  return (
    isConflict(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'FieldManagerConflict')
  )
}
