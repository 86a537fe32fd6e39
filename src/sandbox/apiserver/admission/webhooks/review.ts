/** Builds AdmissionReview requests and checks AdmissionReview responses. */
import { isJsonObject, type Json, type JsonObject, textFromBase64 } from '../../../../runtime/index.ts'
import { userInfo } from '../../authn/user.ts'
import type { ApiObject } from '../../object.ts'
import type { ServedResource } from '../../resource.ts'
import type { Attributes } from '../admission.ts'

export interface ReviewObjects {
  readonly object: ApiObject | undefined
  readonly old: ApiObject | undefined
}

export function reviewRequest(
  uid: string,
  attributes: Attributes,
  matched: ServedResource,
  { object, old }: ReviewObjects,
): JsonObject {
  const { resource, subresource, namespace, name, operation, dryRun, options } = attributes
  const sub = subresource?.name ?? ''
  const kindOf = (of: ServedResource): JsonObject =>
    subresource === undefined || subresource.kind === of.kind
      ? { group: of.group, version: of.version, kind: of.kind }
      : { group: subresource.group, version: subresource.version, kind: subresource.kind }
  const resourceOf = (of: ServedResource): JsonObject => ({
    group: of.group,
    version: of.version,
    resource: of.resource,
  })
  return {
    uid,
    kind: kindOf(matched),
    resource: resourceOf(matched),
    ...(sub === '' ? {} : { subResource: sub }),
    requestKind: kindOf(resource),
    requestResource: resourceOf(resource),
    ...(sub === '' ? {} : { requestSubResource: sub }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(attributes.user),
    object: object ?? null,
    oldObject: old ?? null,
    dryRun,
    options,
  }
}

export interface ReviewResponse {
  readonly allowed: boolean
  readonly status: JsonObject | undefined
  readonly patch: Json | undefined
  readonly warnings: readonly string[]
}

/** Throws with the reason when the body is not a valid AdmissionReview response. */
export function reviewResponse(review: Json, uid: string, version: string, mutating: boolean): ReviewResponse {
  if (!isJsonObject(review) || !isJsonObject(review['response'])) throw new Error('webhook response was absent')
  const response = review['response']
  const strict = version === 'v1'
  if (strict && response['uid'] !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`)
  }
  if (strict && (review['apiVersion'] !== 'admission.k8s.io/v1' || review['kind'] !== 'AdmissionReview')) {
    throw new Error(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${String(review['apiVersion'] ?? '')}, Kind=${String(review['kind'] ?? '')}`,
    )
  }
  const { patch, patchType } = response
  const hasPatch = typeof patch === 'string' && patch !== ''
  if (!mutating && hasPatch) throw new Error('validating webhook may not return response.patch')
  if (strict && mutating && hasPatch !== (patchType !== undefined && patchType !== null)) {
    throw new Error(
      hasPatch
        ? 'webhook returned response.patch but not response.patchType'
        : 'webhook returned response.patchType but not response.patch',
    )
  }
  if (hasPatch && strict && patchType !== 'JSONPatch')
    throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`)
  const warnings = response['warnings']
  return {
    allowed: response['allowed'] === true,
    status: isJsonObject(response['status']) ? response['status'] : undefined,
    patch: hasPatch ? (JSON.parse(textFromBase64(patch)) as Json) : undefined,
    warnings: Array.isArray(warnings) ? (warnings as readonly Json[]).map(String) : [],
  }
}
