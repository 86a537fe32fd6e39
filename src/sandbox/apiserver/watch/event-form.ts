/**
 * The format of the events of one watch: whole objects in the version of the request, Tables or metadata. Whole objects
 * without conversion share encoded bytes.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import { acceptedType } from '../negotiation/accept.ts'
import { partialMetadata, tableOf } from '../negotiation/forms.ts'
import type { ApiObject } from '../object.ts'
import { includeObjectOf } from '../rest/encode.ts'
import { apiVersionOf, fromStorage, type ResourceRequest } from '../rest/request.ts'
import type { Stored } from '../storage/stored.ts'
import { type EventEncoder, type EventType, encodeEvent } from './events.ts'

export interface EventForm {
  /** Synchronous unless the object must be converted. */
  event(type: EventType, stored: Stored): Uint8Array | Promise<Uint8Array>
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array
}

export function eventFormOf(request: ResourceRequest, encoder: EventEncoder): EventForm {
  const { resource } = request
  const { as } = acceptedType(request.http.headers['accept'])
  const isStorageVersion = apiVersionOf(resource) === resource.storage.apiVersion
  const shaped = as === undefined ? undefined : shaper(request, as)
  return {
    event(type, stored) {
      if (isStorageVersion)
        return shaped === undefined ? encoder.encode(type, stored) : encodeEvent(type, shaped(stored.object))
      return fromStorage(resource, [stored.object]).then(([object = stored.object]) =>
        encodeEvent(type, shaped?.(object) ?? object),
      )
    },
    bookmark(revision, initialEventsEnd) {
      const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
      const metadata = { resourceVersion: String(revision), ...annotations }
      const kind = as?.startsWith('Partial')
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
        : { kind: resource.kind, apiVersion: apiVersionOf(resource) }
      return encodeEvent('BOOKMARK', { ...kind, metadata })
    },
  }
}

function shaper(request: ResourceRequest, as: string): (object: ApiObject) => JsonObject {
  if (as !== 'Table') return partialMetadata
  const include = includeObjectOf(request)
  let hasHeaders = true
  return (object) => {
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' }
    const now = request.parts.runtime.clock.now()
    const table = tableOf(request.resource, [object], metadata, { include, now, hasHeaders })
    hasHeaders = false
    return table
  }
}
