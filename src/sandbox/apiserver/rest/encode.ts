/** Encodes a result in the format the client accepts, with warnings as headers. */
import { dump } from 'js-yaml'
import type { HttpResponse } from '../../../runtime/http.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import { acceptedType, type MediaType } from '../negotiation/accept.ts'
import { type IncludeObject, partialMetadata, partialMetadataList, tableOf } from '../negotiation/forms.ts'
import { badRequest } from '../status/status-error.ts'
import { itemOf, textOf } from '../storage/stored.ts'
import { type HandlerResult, jsonResponse } from './handler-result.ts'
import { apiVersionOf, type ResourceRequest } from './request.ts'

const encoder = new TextEncoder()

export function encodeAnswer(request: ResourceRequest, answer: HandlerResult): HttpResponse {
  const response = withoutWarnings(request, answer)
  if (request.warnings.length === 0) return response
  return { ...response, headers: { ...response.headers, warning: warningHeader(request.warnings) } }
}

function withoutWarnings(request: ResourceRequest, answer: HandlerResult): HttpResponse {
  if (answer.kind === 'response') return answer.response
  const accepted = acceptedType(request.http.headers['accept'])
  if (answer.kind === 'document') return documentResponse(answer.code, answer.document, accepted)
  const other = otherForm(request, answer, accepted)
  const code = answer.kind === 'object' ? answer.code : 200
  if (other !== undefined) return documentResponse(code, other, accepted)
  const text = answer.kind === 'object' ? textOf(answer.object) : listText(request, answer)
  if (accepted.format === 'yaml') return documentResponse(code, JSON.parse(text) as JsonObject, accepted)
  return jsonResponse(code, text)
}

function listText({ resource }: ResourceRequest, answer: HandlerResult & { kind: 'list' }): string {
  const text = resource.itemsNameKind === true ? textOf : itemOf
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":"${apiVersionOf(resource)}"`
  return `${head},"metadata":${JSON.stringify(answer.metadata)},"items":[${answer.items.map(text).join(',')}]}`
}

function otherForm(
  request: ResourceRequest,
  answer: HandlerResult & { kind: 'object' | 'list' },
  { as }: MediaType,
): JsonObject | undefined {
  if (as === undefined) return undefined
  const objects = answer.kind === 'object' ? [answer.object] : answer.items
  if (objects.some(({ metadata }) => metadata === undefined)) return undefined
  const metadata: JsonObject =
    answer.kind === 'list' ? answer.metadata : { resourceVersion: answer.object.metadata.resourceVersion ?? '' }
  if (as === 'Table') {
    const now = request.parts.runtime.clock.now()
    return tableOf(request.resource, objects, metadata, includeObjectOf(request), now)
  }
  if (answer.kind === 'list') return partialMetadataList(objects, metadata)
  return partialMetadata(answer.object)
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
