/** Encodes a result in the format the client accepts, with warnings as headers. */
import { dump } from 'js-yaml'
import type { HttpResponse, JsonObject } from '../../../runtime/index.ts'
import { acceptedType, type MediaType } from '../negotiation/accept.ts'
import { type IncludeObject, partialMetadata, partialMetadataList, tableOf } from '../negotiation/forms.ts'
import { badRequest } from '../status/status-error.ts'
import { itemOf, textOf } from '../storage/stored.ts'
import { type HandlerResult, jsonResponse } from './handler-result.ts'
import { apiVersionOf, type ResourceRequest } from './request.ts'

const encoder = new TextEncoder()

export function encodeResult(request: ResourceRequest, result: HandlerResult): HttpResponse {
  const response = withoutWarnings(request, result)
  if (request.warnings.length === 0) return response
  return { ...response, headers: { ...response.headers, warning: warningHeader(request.warnings) } }
}

function withoutWarnings(request: ResourceRequest, result: HandlerResult): HttpResponse {
  if (result.kind === 'response') return result.response
  const accepted = acceptedType(request.http.headers['accept'])
  if (result.kind === 'document') return documentResponse(result.code, result.document, accepted)
  const other = otherForm(request, result, accepted)
  const code = result.kind === 'object' ? result.code : 200
  if (other !== undefined) return documentResponse(code, other, accepted)
  const text = result.kind === 'object' ? textOf(result.object) : listText(request, result)
  if (accepted.format === 'yaml') return documentResponse(code, JSON.parse(text) as JsonObject, accepted)
  return jsonResponse(code, text)
}

function listText({ resource }: ResourceRequest, result: HandlerResult & { kind: 'list' }): string {
  const text = resource.itemsNameKind === true ? textOf : itemOf
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":"${apiVersionOf(resource)}"`
  return `${head},"metadata":${JSON.stringify(result.metadata)},"items":[${result.items.map(text).join(',')}]}`
}

function otherForm(
  request: ResourceRequest,
  result: HandlerResult & { kind: 'object' | 'list' },
  { as }: MediaType,
): JsonObject | undefined {
  if (as === undefined) return undefined
  const objects = result.kind === 'object' ? [result.object] : result.items
  if (objects.some(({ metadata }) => metadata === undefined)) return undefined
  const metadata: JsonObject =
    result.kind === 'list' ? result.metadata : { resourceVersion: result.object.metadata.resourceVersion ?? '' }
  if (as === 'Table') {
    const now = request.parts.runtime.clock.now()
    return tableOf(request.resource, objects, metadata, { include: includeObjectOf(request), now })
  }
  if (result.kind === 'list') return partialMetadataList(objects, metadata)
  return partialMetadata(result.object)
}

export function includeObjectOf({ query }: ResourceRequest): IncludeObject {
  const given = query.get('includeObject') || 'Metadata'
  if (given === 'None' || given === 'Metadata' || given === 'Object') return given
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(given)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

export function documentResponse(code: number, document: JsonObject, { format }: MediaType): HttpResponse {
  if (format === 'json') return jsonResponse(code, JSON.stringify(document))
  return { status: code, headers: { 'content-type': 'application/yaml' }, body: encoder.encode(dump(document)) }
}

/** All warnings in one header, as HTTP joins repeated headers. */
function warningHeader(warnings: readonly string[]): string {
  return warnings.map((text) => `299 - "${text.replaceAll(/[\\"]/g, '\\$&')}"`).join(', ')
}
