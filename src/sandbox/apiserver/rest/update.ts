/**
 * Updates an existing object: PUT, every patch and the writing subresources. Reads, computes and stores the result only
 * if the object is unchanged; otherwise it starts again, unless the client sent a resourceVersion.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Attributes } from '../admission/admission.ts'
import { isDeletionComplete } from '../deletion/is-deletion-complete.ts'
import { invalid } from '../field-error.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import { badRequest, conflict, invalidObject, modifiedMeanwhile, notFound } from '../status/status-error.ts'
import { Stored } from '../storage/stored.ts'
import { readObject } from './body.ts'
import { createObject, withRequestNamespace } from './create.ts'
import { decodeObject, duplicatesIn } from './decode.ts'
import type { HandlerResult } from './handler-result.ts'
import { preserveMetadata, validateMetadataUpdate } from './metadata.ts'
import { collectionOf, fromStorage, keyOf, managerOf, type ResourceRequest, toStorage, warn } from './request.ts'
import { writeOptionsOf } from './write-options.ts'

export interface Change {
  /** Computes the wanted object from the current one; called again after a concurrent write. */
  wanted(old: ApiObject): Promise<ApiObject> | ApiObject
  /** The object to create when none exists; absent: 404. */
  readonly missing?: () => ApiObject
  readonly options: JsonObject
  /**
   * How often a change with a resourceVersion is computed again from the current object.
   * @default 0
   */
  readonly retries?: number
  /** Precondition on the uid. */
  readonly uid?: string | undefined
  /**
   * Admission already ran on the body of a subresource.
   * @default false
   */
  readonly admitted?: boolean
  /**
   * A write of the API server itself: admission, preparation and validation are skipped.
   * @default false
   */
  readonly raw?: boolean
}

export async function update(request: ResourceRequest): Promise<HandlerResult> {
  const { resource, parts } = request
  const options = writeOptionsOf(request.query, 'UpdateOptions')
  const body = readObject(request.http.body, request.http.headers['content-type'], resource.kind)
  const decoded = withRequestNamespace(request, decodeObject(request, body, duplicatesIn(request, body)))
  const object = withRequestName(request, decoded)
  const managed = (old: ApiObject | undefined): ApiObject =>
    parts.fields.update({
      resource,
      manager: managerOf(request),
      subresource: request.subresource?.name ?? '',
      now: parts.runtime.clock.now(),
      object,
      old,
    })
  const allowed = resource.strategy.createOnUpdate === true && request.subresource === undefined
  return updateObject(request, {
    wanted: managed,
    ...(allowed ? { missing: () => managed(undefined) } : {}),
    options,
    uid: object.metadata.uid,
  })
}

/** Sets the name of the path; refuses an object with another name. */
export function withRequestName({ info }: ResourceRequest, object: ApiObject): ApiObject {
  const { name } = object.metadata
  if (name === info.name) return object
  if (!name) return withMetadata(object, { name: info.name })
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
}

export async function updateObject(request: ResourceRequest, change: Change): Promise<HandlerResult> {
  const { resource, info } = request
  const collection = collectionOf(request)
  const key = keyOf(resource, info.namespace, info.name)
  for (let attempt = 0; ; attempt++) {
    const stored = collection.get(key)
    if (stored === undefined) {
      if (change.missing === undefined) throw notFound(resource, info.name)
      return {
        kind: 'object',
        code: 201,
        object: await createObject(request, change.missing(), { ...change.options, kind: 'CreateOptions' }),
      }
    }
    const [current = stored.object] = await fromStorage(resource, [stored.object])
    const { object, isVersioned } =
      change.raw === true
        ? { object: await change.wanted(current), isVersioned: false }
        : await next(request, change, current)
    const converted = await toStorage(resource, object)
    if (collection.get(key) !== stored) {
      if (isVersioned && attempt >= (change.retries ?? 0)) throw conflict(resource, info.name, modifiedMeanwhile)
      continue
    }
    const kept = commit(request, key, converted, stored)
    const [updated = kept.object] = await fromStorage(resource, [kept.object])
    return { kind: 'object', code: 200, object: updated }
  }
}

/**
 * Stores the new version, or removes the object when the change took away the last finalizer: then only the caller sees
 * the final state.
 */
function commit(request: ResourceRequest, key: string, object: ApiObject, before: Stored): Stored {
  const collection = collectionOf(request)
  const notStored = new Stored(object, before.revision)
  if (request.dryRun) return notStored
  if (!isDeletionComplete(request.resource, object)) return collection.put(key, object)
  collection.delete(key)
  return notStored
}

async function next(
  request: ResourceRequest,
  change: Change,
  old: ApiObject,
): Promise<{ readonly object: ApiObject; readonly isVersioned: boolean }> {
  const { resource, info, parts } = request
  const subresource = request.subresource?.name ?? ''
  const wanted = await change.wanted(old)
  const attributes = {
    operation: 'UPDATE',
    resource,
    subresource: request.subresource,
    namespace: info.namespace,
    name: info.name,
    object: wanted,
    old,
    user: request.user,
    dryRun: request.dryRun,
    options: { ...change.options, kind: 'UpdateOptions' },
    warn: (text: string) => warn(request, text),
  } satisfies Attributes
  const mutated = change.admitted === true ? wanted : await parts.admission.mutate(attributes)
  const isVersioned = checkVersion(request, mutated, old, change.uid)
  const kept = preserveMetadata(withMetadata(mutated, { resourceVersion: old.metadata.resourceVersion }), old)
  const object = resource.strategy.prepareForUpdate(
    withMetadata(kept, { generation: old.metadata.generation }),
    old,
    subresource,
  )
  const metadataErrors = validateMetadataUpdate(resource, object.metadata, old.metadata)
  const errors = [
    ...metadataErrors,
    // The real API server validates metadata twice, in the shared rules and in those of the kind, and reports both.
    ...metadataErrors,
    ...resource.strategy.validate(object, old, subresource),
  ]
  if (errors.length > 0) throw invalidObject(resource, info.name, errors)
  for (const text of resource.strategy.warnings?.(object, old) ?? []) warn(request, text)
  if (change.admitted !== true) await parts.admission.validate({ ...attributes, object })
  return { object, isVersioned }
}

function checkVersion(
  { resource, info }: ResourceRequest,
  object: ApiObject,
  old: ApiObject,
  uid: string | undefined,
): boolean {
  const { resourceVersion } = object.metadata
  if (uid && uid !== old.metadata.uid) {
    throw conflict(
      resource,
      info.name,
      `StorageError: invalid object, Code: 4, Key: /registry/${resource.resource}/${keyOf(resource, info.namespace, info.name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ''}`,
    )
  }
  if (!resourceVersion) {
    if (resource.strategy.unconditionalUpdate !== false) return false
    throw invalidObject({ group: resource.group, kind: resource.resource }, info.name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource, info.name, modifiedMeanwhile)
  return true
}
