/** Reading: one object, or a page of many at one version of the storage. */
import type { JsonObject } from '../../../runtime/json.ts'
import { notFound } from '../status/status-error.ts'
import type { Stored } from '../storage/stored.ts'
import type { Answer } from './answer.ts'
import { collectionOf, fromStorage, keyOf, type ResourceRequest } from './request.ts'
import { selectionOf } from './selection.ts'

export async function get(request: ResourceRequest): Promise<Answer> {
  const { resource, info } = request
  const stored = collectionOf(request).get(keyOf(resource, info.namespace, info.name))
  if (stored === undefined) throw notFound(resource, info.name)
  const [object] = await fromStorage(resource, [stored.object])
  return { kind: 'object', code: 200, object: object ?? stored.object, ...(object === stored.object ? { stored } : {}) }
}

export async function list(request: ResourceRequest): Promise<Answer> {
  const { resource, info, parts } = request
  const selection = selectionOf(request)
  const found: Stored[] = []
  for (const [, stored] of collectionOf(request).range(
    resource.namespaced && info.namespace ? `${info.namespace}/` : '',
  )) {
    if (selection.matches(stored.object)) found.push(stored)
  }
  const metadata: JsonObject = { resourceVersion: String(parts.store.revision) }
  const objects = found.map(({ object }) => object)
  const items = await fromStorage(resource, objects)
  return { kind: 'list', metadata, items, ...(items === objects ? { stored: found } : {}) }
}
