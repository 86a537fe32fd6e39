/** Decodes a parsed body to an object of the resource's type: checks the kind, handles unknown fields, sets defaults. */
import { isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { invalid } from '../field-error.ts'
import { type ApiObject, at, type ObjectMeta } from '../object.ts'
import { badRequest, DecodeError, invalidObject, type StatusError } from '../status/status-error.ts'
import { duplicateFields } from '../types/duplicates.ts'
import { mediaTypeOf } from './body.ts'
import { apiVersionOf, type ResourceRequest, warn } from './request.ts'

/** `duplicates` are the fields that the body contains twice. */
export function decodeObject(
  request: ResourceRequest,
  body: JsonObject,
  duplicates: readonly string[] = [],
): ApiObject {
  const { resource } = request
  const checked = withKind(request, body)
  const decoded = resource.strategy.decode(checked)
  const { object } = decoded
  const faults = [...duplicates, ...decoded.faults]
  if (faults.length > 0) {
    const mode = request.query.get('fieldValidation') || 'Warn'
    if (mode === 'Strict') {
      throw new DecodeError(resource, `strict decoding error: ${faults.join(', ')}`)
    }
    if (mode === 'Warn') for (const fault of faults) warn(request, fault)
  }
  return resource.strategy.default(object)
}

/** The fields a request body contains twice; only JSON can. */
export function duplicatesIn({ http }: ResourceRequest, body: JsonObject): readonly string[] {
  const type = mediaTypeOf(http.headers['content-type'])
  if (http.body === undefined || (type !== '' && type !== 'application/json')) return []
  return duplicateFields(new TextDecoder().decode(http.body), body)
}

/** Kind and apiVersion are optional; if given they must match the path. */
function withKind(request: ResourceRequest, body: JsonObject): ApiObject {
  const { resource } = request
  const apiVersion = apiVersionOf(resource)
  const metadata = body['metadata']
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    throw new DecodeError(
      resource,
      `json: cannot unmarshal ${Array.isArray(metadata) ? 'array' : typeof metadata} into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`,
    )
  }
  if (resource.itemsNameKind === true) checkCustomKind(request, body)
  const given = body['apiVersion'] || apiVersion
  const kind = body['kind'] || resource.kind
  if (given !== apiVersion || kind !== resource.kind) throw wrongKind(request, String(given), String(kind))
  return { ...body, apiVersion, kind: resource.kind, metadata: (metadata ?? {}) as ObjectMeta }
}

/** Custom resources must carry apiVersion and kind. */
function checkCustomKind({ resource }: ResourceRequest, body: JsonObject): void {
  const apiVersion = apiVersionOf(resource)
  for (const [field, shown] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const) {
    if (body[field]) continue
    const text = JSON.stringify(body)
    const start = text.length > 30 ? `${text.slice(0, 30)} ...` : text
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object '${shown}' is missing in '${text}' (${start})`,
    )
  }
  if (body['apiVersion'] !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(body['apiVersion'])}) does not match the expected API version (${apiVersion})`,
    )
  }
  const kind = String(body['kind'])
  if (kind === resource.kind) return
  throw invalidObject({ group: resource.group, kind }, String(at(body, 'metadata', 'name') ?? ''), [
    invalid('kind', kind, `must be ${resource.kind}`),
  ])
}

function wrongKind({ resource, parts }: ResourceRequest, apiVersion: string, kind: string): StatusError {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const known = parts.registry.findKind(group, version ?? '', kind)
  if (known !== undefined && known.kind === resource.kind && known.group === resource.group) {
    return badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`,
    )
  }
  const own = resource.group === '' ? 'core' : resource.group.split('.')[0]
  const why =
    known === undefined
      ? `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${version}.${kind}) to (${own}.${resource.kind}): unknown conversion`
  if (kind === resource.kind && version === resource.version) return new DecodeError(resource, why)
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`)
}
