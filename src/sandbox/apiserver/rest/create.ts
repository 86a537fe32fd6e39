/** Creates an object: decoding, admission, validation, storage. */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Attributes } from '../admission/admission.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import { alreadyExists, badRequest, invalidObject, StatusError } from '../status/status-error.ts'
import { Stored } from '../storage/stored.ts'
import { timestamp } from '../timestamp.ts'
import { readObject } from './body.ts'
import { decodeObject, duplicatesIn } from './decode.ts'
import type { HandlerResult } from './handler-result.ts'
import { generateName, newMetadata, validateMetadata } from './metadata.ts'
import { collectionOf, fromStorage, keyOf, managerOf, type ResourceRequest, toStorage, warn } from './request.ts'
import { writeOptionsOf } from './write-options.ts'

export async function create(request: ResourceRequest): Promise<HandlerResult> {
  const options = writeOptionsOf(request.query, 'CreateOptions')
  const body = readObject(request.http.body, request.http.headers['content-type'], request.resource.kind)
  const decoded = withRequestNamespace(request, decodeObject(request, body, duplicatesIn(request, body)))
  const managed = request.parts.fields.update({
    resource: request.resource,
    manager: managerOf(request),
    subresource: '',
    now: request.parts.runtime.clock.now(),
    object: decoded,
    old: undefined,
  })
  const object = await createObject(request, managed, options)
  return { kind: 'object', code: 201, object }
}

/** Attempts to find a free name for generateName, as in the real API server. */
const nameAttempts = 8

/** Runs admission and validation and stores an object whose managedFields are set; returns it in the version of the request. */
export async function createObject(
  request: ResourceRequest,
  given: ApiObject,
  options: JsonObject,
): Promise<ApiObject> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(request, given, options)
    } catch (error) {
      const taken = error instanceof StatusError && error.reason === 'AlreadyExists'
      if (!taken || given.metadata.name || !given.metadata.generateName) throw error
      if (attempt === nameAttempts) throw generatedNameTaken(request, error)
    }
  }
}

function generatedNameTaken(request: ResourceRequest, error: StatusError): StatusError {
  const name = error.details?.name ?? ''
  return new StatusError(
    409,
    'AlreadyExists',
    `${error.message}, the server was not able to generate a unique name for the object`,
    {
      name,
      ...(request.resource.group === '' ? {} : { group: request.resource.group }),
      kind: request.resource.resource,
      retryAfterSeconds: 1,
    },
  )
}

async function createOnce(request: ResourceRequest, given: ApiObject, options: JsonObject): Promise<ApiObject> {
  const { parts, resource, info } = request
  const attributes = {
    operation: 'CREATE',
    resource,
    subresource: undefined,
    namespace: info.namespace,
    name: given.metadata.name ?? '',
    object: given,
    old: undefined,
    user: request.user,
    dryRun: request.dryRun,
    options,
    warn: (text: string) => warn(request, text),
  } satisfies Attributes
  const mutated = await parts.admission.mutate(attributes)
  const object = prepared(request, mutated)
  await parts.admission.validate({ ...attributes, name: object.metadata.name, object })
  const stored = await storeNew(request, object)
  const [result] = await fromStorage(resource, [stored.object])
  return result ?? stored.object
}

function prepared(request: ResourceRequest, mutated: ApiObject): ApiObject {
  const { parts, resource } = request
  const { clock, random } = parts.runtime
  if (mutated.metadata.resourceVersion) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  const { generateName: prefix } = mutated.metadata
  const name = mutated.metadata.name || (prefix ? generateName(prefix, random) : '')
  const named = withMetadata(mutated, { name, resourceVersion: undefined })
  const fresh = newMetadata(named, { uid: random.uuid(), created: timestamp(clock.now()) })
  const object = resource.strategy.prepareForCreate(fresh)
  const errors = [...validateMetadata(resource, object.metadata), ...resource.strategy.validate(object, undefined, '')]
  if (errors.length > 0) throw invalidObject(resource, name, errors)
  for (const text of resource.strategy.warnings?.(object, undefined) ?? []) warn(request, text)
  return object
}

async function storeNew(request: ResourceRequest, object: ApiObject): Promise<Stored> {
  const { resource } = request
  const converted = await toStorage(resource, object)
  const key = keyOf(resource, object.metadata.namespace ?? '', object.metadata.name)
  const collection = collectionOf(request)
  if (collection.get(key) !== undefined) throw alreadyExists(resource, object.metadata.name)
  if (request.dryRun) return new Stored(converted, 0)
  return collection.put(key, converted)
}

/** Sets the namespace of the path; refuses an object with another namespace. */
export function withRequestNamespace({ resource, info }: ResourceRequest, object: ApiObject): ApiObject {
  const { namespace } = object.metadata
  if (!resource.namespaced) {
    if (namespace) throw badRequest('namespace may not be set on cluster-scoped resources')
    return object
  }
  if (namespace && namespace !== info.namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
  }
  return namespace ? object : withMetadata(object, { namespace: info.namespace })
}
