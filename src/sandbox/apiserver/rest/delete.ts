/** Deleting one object or a collection of them. */
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts'
import { notFound } from '../status/status-error.ts'
import type { Stored } from '../storage/stored.ts'
import type { Answer } from './answer.ts'
import { readJson } from './body.ts'
import { collectionOf, fromStorage, keyOf, type ResourceRequest } from './request.ts'
import { selectionOf } from './selection.ts'

export async function remove(request: ResourceRequest): Promise<Answer> {
  const { resource, info } = request
  const collection = collectionOf(request)
  const key = keyOf(resource, info.namespace, info.name)
  if (collection.get(key) === undefined) throw notFound(resource, info.name)
  const last = collection.delete(key) as Stored
  const [object = last.object] = await fromStorage(resource, [last.object])
  return { kind: 'object', code: 200, object }
}

export async function removeCollection(request: ResourceRequest): Promise<Answer> {
  const { resource, info } = request
  const collection = collectionOf(request)
  const selection = selectionOf(request)
  const gone: Stored[] = []
  for (const [key, stored] of [
    ...collection.range(resource.namespaced && info.namespace ? `${info.namespace}/` : ''),
  ]) {
    if (!selection.matches(stored.object)) continue
    const last = collection.delete(key)
    if (last !== undefined) gone.push(last)
  }
  return { kind: 'list', metadata: {}, items: gone.map(({ object }) => object) }
}

export function deleteOptionsOf({ http }: ResourceRequest): JsonObject {
  if (http.body === undefined || http.body.length === 0) return {}
  const body = readJson(http.body, http.headers['content-type'])
  return isJsonObject(body) ? body : {}
}
