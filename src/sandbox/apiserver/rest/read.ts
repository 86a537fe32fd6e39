/** Handles get and list: one object, or one page at one revision of the storage. */
import type { JsonObject } from '../../../runtime/index.ts'
import { notFound } from '../status/status-error.ts'
import type { HandlerResult } from './handler-result.ts'
import { versionOf } from './list-options.ts'
import { pageOf } from './page.ts'
import { collectionOf, fromStorage, keyOf, type ResourceRequest } from './request.ts'
import { waitForRevision } from './wait-for-revision.ts'

export async function get(request: ResourceRequest): Promise<HandlerResult> {
  const { resource, info, query } = request
  const version = versionOf(query.get('resourceVersion') ?? '', false)
  if (version !== undefined) await waitForRevision(request, version)
  const stored = collectionOf(request).get(keyOf(resource, info.namespace, info.name))
  if (stored === undefined) throw notFound(resource, info.name)
  const [object = stored.object] = await fromStorage(resource, [stored.object])
  return { kind: 'object', code: 200, object }
}

export async function list(request: ResourceRequest): Promise<HandlerResult> {
  const page = await pageOf(request)
  const metadata: JsonObject = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined && request.resource.itemsNameKind !== true
      ? {}
      : { continue: page.continue ?? '' }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  }
  const items = await fromStorage(
    request.resource,
    page.found.map(({ object }) => object),
  )
  return { kind: 'list', metadata, items }
}
