/**
 * Brings one object in line: creates it, updates it, or leaves it alone, as its policy says. Decides by the live object, never by what was
 * recorded, and writes nothing when nothing would change.
 */
import type { KubeClient, ResourceClient } from '../../kube/client/client.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import { equal } from '../../patch/equal.ts'
import type { Json } from '../../runtime/json.ts'
import { LandscaperError } from '../library/errors.ts'
import { fingerprint, isUnchanged } from './fingerprint.ts'
import { describeReference, type ManagedResource, referenceTo } from './managed.ts'
import { isOwned, marked, type Owner } from './owner.ts'
import type { Placed } from './scope.ts'
import { desired, type Strategy } from './strategy.ts'

export interface WriteOptions {
  readonly client: KubeClient
  readonly owner: Owner
  readonly strategy: Strategy
  /** Server-side apply takes fields from other managers instead of reporting a conflict. */
  readonly force: boolean
  readonly signal: AbortSignal
}

/** Others write too; an object that changes faster than this is somebody else's fight. */
const attempts = 5

/** An object that is as it should be: how it is recorded, and how it is. */
export interface InLine {
  readonly entry: ManagedResource
  readonly live: KubeObject
}

/** Undefined when the object is none of the item's business. */
export async function bringInLine(
  placed: Placed,
  recorded: ManagedResource | undefined,
  options: WriteOptions,
): Promise<InLine | undefined> {
  const { client, owner, strategy, signal } = options
  const manifest = marked(placed.object, owner)
  const handle = client.of(placed.type)
  const record = (live: KubeObject) => {
    const applied = fingerprint(manifest, strategy, live)
    return { entry: { policy: placed.policy, resource: referenceTo(live), applied }, live }
  }
  // What was never recorded is most likely not there: one request instead of two.
  let live = recorded === undefined ? undefined : await find(handle, manifest, signal)
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (live === undefined) return record(await create(handle, manifest, options))
      if (live.metadata.deletionTimestamp !== undefined) throw beingDeleted(live)
      if (placed.policy === 'fallback' && !isOwned(live, owner)) return undefined
      if (placed.policy === 'immutable') return isOwned(live, owner) ? record(live) : undefined
      const now = record(live)
      if (isUnchanged(recorded?.applied, now.entry.applied, manifest, live)) return now
      return record(await update(handle, manifest, live, options))
    } catch (error) {
      const raced = isAlreadyExists(error) || isNotFound(error) || (isConflict(error) && !isFieldConflict(error))
      if (!raced || attempt === attempts) throw error
      const found = await find(handle, manifest, signal)
      // Neither there nor to be created: the namespace is missing, and that is for the caller to hear.
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
  const next = desired(strategy, live, manifest, fieldManager)
  if (equal(next as unknown as Json, live as unknown as Json)) return live
  if (strategy === 'patch') {
    const patch = { type: 'merge', value: manifest } as const
    return handle.patch(manifest.metadata.name, patch, { ...at(manifest.metadata), fieldManager, signal })
  }
  return handle.update(next, { fieldManager, signal })
}

function at({ namespace }: KubeObject['metadata']): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

function beingDeleted(live: KubeObject): Error {
  const what = describeReference(referenceTo(live))
  return new LandscaperError('ApplyObjects', 'ObjectBeingDeleted', `${what} is being deleted and can not be updated.`)
}

/** Two managers want different values: trying again changes nothing. */
export function isFieldConflict(error: unknown): boolean {
  return (
    isConflict(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'FieldManagerConflict')
  )
}
