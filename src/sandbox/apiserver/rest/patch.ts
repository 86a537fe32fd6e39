/** PATCH in its four formats: JSON patch, merge patch, strategic merge patch and server-side apply. */
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, PatchError } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import { invalid, required } from '../field-error.ts'
import type { ApiObject } from '../object.ts'
import { badRequest, DecodeError, invalidObject, StatusError } from '../status/status-error.ts'
import { mergeLookup } from '../types/merge-lookup.ts'
import { mediaTypeOf, readJson } from './body.ts'
import { withRequestNamespace } from './create.ts'
import { decodeObject } from './decode.ts'
import type { HandlerResult } from './handler-result.ts'
import { managerOf, type ResourceRequest } from './request.ts'
import { updateObject, withRequestName } from './update.ts'
import { writeOptionsOf } from './write-options.ts'

export async function patch(request: ResourceRequest): Promise<HandlerResult> {
  const type = mediaTypeOf(request.http.headers['content-type'])
  switch (type) {
    case 'application/apply-patch+yaml':
      requireFieldManager(request)
      return apply(request, readPatch(request, 'application/yaml'))
    case 'application/json-patch+json':
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json': {
      if (type.includes('strategic') && request.resource.itemsNameKind === true) throw unknownFormat(customPatchTypes)
      const options = writeOptionsOf(request.query, 'PatchOptions')
      const body = readPatch(request, 'application/json')
      return updateObject(request, {
        wanted: (old) => patched(request, type, old, body),
        options,
        retries: patchRetries,
      })
    }
    default:
      throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  }
}

/** How often a patch without resourceVersion is computed again after a concurrent write. */
export const patchRetries = 5

/** Custom resources do not support strategic merge patch. */
const customPatchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']

function unknownFormat(accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}

function readPatch({ http }: ResourceRequest, type: string): Json {
  try {
    return readJson(http.body, type)
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(`error decoding patch: ${error.message}`) : error
  }
}

/** When the patched object is not valid for its type, the patch is reported as the invalid value. */
function decodePatched(request: ResourceRequest, type: string, body: Json, result: JsonObject): ApiObject {
  try {
    return decodeObject(request, result)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const value = type.includes('strategic') ? goText(body) : JSON.stringify(result)
    const fault = invalid('patch', value, error.fault)
    throw new StatusError(422, 'Invalid', ` "" is invalid: patch: ${fault.message}`, { causes: [fault] })
  }
}

/** Formats a value as Go prints it. */
function goText(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(goText).join(' ')}]`
  if (!isJsonObject(value)) return value === null ? '<nil>' : String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((key) => `${key}:${goText(value[key] ?? null)}`).join(' ')}]`
}

function patched(request: ResourceRequest, type: string, old: ApiObject, body: Json): ApiObject {
  const { parts, resource } = request
  const result = applyPatch(type, old, body, resource.strategy.schema)
  if (!isJsonObject(result)) throw badRequest('the patch did not produce an object')
  return parts.fields.update({
    resource,
    manager: managerOf(request),
    subresource: request.subresource?.name ?? '',
    now: parts.runtime.clock.now(),
    object: withRequestName(request, withRequestNamespace(request, decodePatched(request, type, body, result))),
    old,
  })
}

/** Applies a JSON patch, merge patch or strategic merge patch. */
export function applyPatch(type: string, old: JsonObject, body: Json, schema: Schema): Json {
  if (type === 'application/json-patch+json' && !Array.isArray(body)) {
    const given = body === null ? 'null' : typeof body
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${given} into Go value of type []handlers.jsonPatchOp`,
    )
  }
  try {
    if (type === 'application/json-patch+json') return applyJsonPatch(old, body)
    if (type === 'application/merge-patch+json') return applyMergePatch(old, body)
    return applyStrategicMergePatch(old, body, mergeLookup(schema))
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.code === 'CRB_PATCH_MALFORMED') throw badRequest(`error decoding patch: ${error.message}`)
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
  }
}

function requireFieldManager({ query }: ResourceRequest): void {
  if (query.get('fieldManager')) return
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    required('fieldManager', 'is required for apply patch'),
  ])
}

async function apply(request: ResourceRequest, body: Json): Promise<HandlerResult> {
  const { parts, resource, query } = request
  if (!isJsonObject(body)) throw badRequest('error decoding YAML: the applied configuration is not an object')
  // Use the configuration as written: the manager owns its fields, but not the defaults added later.
  const options = writeOptionsOf(query, 'PatchOptions')
  if (!body['kind'] || !body['apiVersion']) {
    const [group, version] = String(body['apiVersion'] ?? '/').split('/')
    throw badRequest(`invalid object type: ${group ?? ''}/${version ?? ''}, Kind=${String(body['kind'] ?? '')}`)
  }
  const applied = withRequestName(
    request,
    withRequestNamespace(request, { ...body, metadata: body['metadata'] ?? {} } as ApiObject),
  )
  const merged = (live: ApiObject | undefined): ApiObject =>
    decodeObject(
      request,
      parts.fields.apply({
        resource,
        manager: managerOf(request),
        subresource: request.subresource?.name ?? '',
        now: parts.runtime.clock.now(),
        applied,
        live,
        force: query.get('force') === 'true',
      }),
    )
  return updateObject(request, {
    wanted: merged,
    ...(request.subresource === undefined ? { missing: () => merged(undefined) } : {}),
    options,
    retries: patchRetries,
  })
}
