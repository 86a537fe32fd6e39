/**
 * From a parsed body to an object of the resource's type: the right kind, known fields only (or said so), defaults filled in.
 */
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts'
import type { ApiObject, ObjectMeta } from '../object.ts'
import { badRequest } from '../status/status-error.ts'
import { apiVersionOf, type ResourceRequest, warn } from './request.ts'

export function decodeObject(request: ResourceRequest, body: JsonObject): ApiObject {
  const { resource } = request
  const checked = withKind(request, body)
  const { object, faults } = resource.strategy.decode(checked)
  if (faults.length > 0) {
    const mode = request.query.get('fieldValidation') || 'Warn'
    if (mode === 'Strict') {
      throw badRequest(
        `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${faults.join(', ')}`,
      )
    }
    if (mode === 'Warn') for (const fault of faults) warn(request, fault)
  }
  return resource.strategy.default(object)
}

/** Kind and apiVersion may be left out; if given they must be those of the path. */
export function withKind({ resource }: ResourceRequest, body: JsonObject): ApiObject {
  const apiVersion = apiVersionOf(resource)
  const given = body['apiVersion']
  const kind = body['kind']
  const metadata = body['metadata']
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: json: cannot unmarshal ${typeof metadata} into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`,
    )
  }
  if (
    (given !== undefined && given !== '' && given !== apiVersion) ||
    (kind !== undefined && kind !== '' && kind !== resource.kind)
  ) {
    if (given !== undefined && given !== apiVersion) {
      throw badRequest(
        `the API version in the data (${String(given)}) does not match the expected API version (${apiVersion})`,
      )
    }
    throw badRequest(`no kind "${String(kind)}" is registered for version "${apiVersion}" in scheme`)
  }
  return { ...body, apiVersion, kind: resource.kind, metadata: (metadata ?? {}) as ObjectMeta }
}
