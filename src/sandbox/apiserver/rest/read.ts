/** Reading: one object, or a page of many at one version of the storage. */
import type { JsonObject } from '../../../runtime/json.ts'
import { notFound } from '../status/status-error.ts'
import type { Answer } from './answer.ts'
import { versionOf } from './list-options.ts'
import { pageOf } from './page.ts'
import { collectionOf, fromStorage, keyOf, type ResourceRequest } from './request.ts'
import { notInTheFuture } from './versions.ts'

export async function get(request: ResourceRequest): Promise<Answer> {
  const { resource, info, query } = request
  const version = versionOf(query.get('resourceVersion') ?? '', false)
  if (version !== undefined) await notInTheFuture(request, version)
  const stored = collectionOf(request).get(keyOf(resource, info.namespace, info.name))
  if (stored === undefined) throw notFound(resource, info.name)
  const [object = stored.object] = await fromStorage(resource, [stored.object])
  return { kind: 'object', code: 200, object }
}

export async function list(request: ResourceRequest): Promise<Answer> {
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
