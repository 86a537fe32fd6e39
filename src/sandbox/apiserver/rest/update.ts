/**
 * Changing an object that is there: PUT, every patch and the writing subresources come through here. Reads, computes, and keeps the
 * result only if nobody was faster; otherwise starts again, unless the client insisted on a version.
 */
import type { JsonObject } from '../../../runtime/json.ts'
import type { Attributes } from '../admission/admission.ts'
import { finishedDeleting } from '../deletion/finish.ts'
import { invalid } from '../field-error.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import { badRequest, conflict, invalidObject, modifiedMeanwhile, notFound } from '../status/status-error.ts'
import { Stored } from '../storage/stored.ts'
import type { Answer } from './answer.ts'
import { readObject } from './body.ts'
import { createObject, inNamespace } from './create.ts'
import { decodeObject, duplicatesIn } from './decode.ts'
import { keptMetadata, validateMetadataUpdate } from './metadata.ts'
import { collectionOf, fromStorage, keyOf, managerOf, type ResourceRequest, toStorage, warn } from './request.ts'
import { writeOptionsOf } from './write-options.ts'

export interface Change {
  /** The wanted object, given the current one; called again when somebody else was faster. */
  wanted(old: ApiObject): Promise<ApiObject> | ApiObject
  /** What to create when nothing is there; absent: 404. */
  readonly missing?: () => ApiObject
  readonly options: JsonObject
  /** How often a change that insists on a version is made again from what is there now. @default 0 */
  readonly retries?: number
  /** The object must be the one with this uid. */
  readonly uid?: string | undefined
  /** Admission has seen the change already, in another form. @default false */
  readonly admitted?: boolean
  /** A write of the server's own, for which neither admission nor the rules of the kind apply. @default false */
  readonly raw?: boolean
}

export async function update(request: ResourceRequest): Promise<Answer> {
  const { resource, parts } = request
  const options = writeOptionsOf(request.query, 'UpdateOptions')
  const body = readObject(request.http.body, request.http.headers['content-type'], resource.kind)
  const decoded = inNamespace(request, decodeObject(request, body, duplicatesIn(request, body)))
  const object = underName(request, decoded)
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

/** The name of the path goes into the object, which may not have another. */
export function underName({ info }: ResourceRequest, object: ApiObject): ApiObject {
  const { name } = object.metadata
  if (name === info.name) return object
  if (!name) return withMetadata(object, { name: info.name })
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
}

export async function updateObject(request: ResourceRequest, change: Change): Promise<Answer> {
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
    const { object, insists } =
      change.raw === true
        ? { object: await change.wanted(current), insists: false }
        : await next(request, change, current)
    const converted = await toStorage(resource, object)
    if (collection.get(key) !== stored) {
      if (insists && attempt >= (change.retries ?? 0)) throw conflict(resource, info.name, modifiedMeanwhile)
      continue
    }
    const kept = commit(request, key, converted, stored)
    const [answer = kept.object] = await fromStorage(resource, [kept.object])
    return { kind: 'object', code: 200, object: answer }
  }
}

/** Keeps the new version, or lets the object go when it took away the last reason to keep it: then only whoever asked for it ever sees it. */
function commit(request: ResourceRequest, key: string, object: ApiObject, before: Stored): Stored {
  const collection = collectionOf(request)
  const unkept = new Stored(object, before.revision)
  if (request.dryRun) return unkept
  if (!finishedDeleting(request.resource, object)) return collection.put(key, object)
  collection.delete(key)
  return unkept
}

async function next(
  request: ResourceRequest,
  change: Change,
  old: ApiObject,
): Promise<{ readonly object: ApiObject; readonly insists: boolean }> {
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
  const insists = checkVersion(request, mutated, old, change.uid)
  const kept = keptMetadata(withMetadata(mutated, { resourceVersion: old.metadata.resourceVersion }), old)
  const object = resource.strategy.prepareForUpdate(
    withMetadata(kept, { generation: old.metadata.generation }),
    old,
    subresource,
  )
  const metadataErrors = validateMetadataUpdate(resource, object.metadata, old.metadata)
  const errors = [
    ...metadataErrors,
    // Both the shared rules and those of the kind look at metadata; clients see both findings.
    ...metadataErrors,
    ...resource.strategy.validate(object, old, subresource),
  ]
  if (errors.length > 0) throw invalidObject(resource, info.name, errors)
  for (const text of resource.strategy.warnings?.(object, old) ?? []) warn(request, text)
  if (change.admitted !== true) await parts.admission.validate({ ...attributes, object })
  return { object, insists }
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
