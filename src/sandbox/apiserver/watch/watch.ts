/** Following a collection: the state at some version, then every change of it that the selection sees. */
import type { ApiObject } from '../object.ts'
import { withMetadata } from '../object.ts'
import type { Answer } from '../rest/answer.ts'
import { apiVersionOf, collectionOf, type ResourceRequest } from '../rest/request.ts'
import { selectionOf } from '../rest/selection.ts'
import { badRequest, expired } from '../status/status-error.ts'
import type { Change } from '../storage/history.ts'
import { Stored } from '../storage/stored.ts'
import { type EventEncoder, type EventType, encodeEvent } from './events.ts'
import { EventStream } from './stream.ts'

export async function watch(request: ResourceRequest, encoder: EventEncoder): Promise<Answer> {
  const { resource, info, query, parts } = request
  const collection = collectionOf(request)
  const selection = selectionOf(request)
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : ''
  const sees = (object: ApiObject | undefined): boolean => object !== undefined && selection.matches(object)
  const apiVersion = apiVersionOf(resource)
  const send = (type: EventType, stored: Stored): void => {
    if (apiVersion === resource.storage.apiVersion) stream.write(encoder.encode(type, stored))
    else stream.write(encodeEvent(type, { ...stored.object, apiVersion, kind: resource.kind }))
  }
  const pass = (change: Change): void => {
    if (!change.key.startsWith(prefix)) return
    const before = sees(change.previous?.object)
    const after = sees(change.current?.object)
    if (after && change.current !== undefined) send(before ? 'MODIFIED' : 'ADDED', change.current)
    else if (before && change.deleted !== undefined) send('DELETED', change.deleted)
    else if (before && change.previous !== undefined) {
      const object = withMetadata(change.previous.object, { resourceVersion: String(change.revision) })
      send('DELETED', new Stored(object, change.revision))
    }
  }
  const given = query.get('resourceVersion') ?? ''
  if (!/^\d*$/.test(given)) throw badRequest(`invalid resource version: ${given}`)
  const from = Number(given)
  let leave = (): void => {}
  const stream = new EventStream(() => leave())
  if (from === 0) {
    for (const [, stored] of collection.range(prefix)) if (sees(stored.object)) send('ADDED', stored)
  } else {
    const changes = collection.history.since(from)
    if (changes === undefined) {
      const gone = expired(`too old resource version: ${from} (${collection.history.forgotten})`)
      stream.write(encodeEvent('ERROR', gone.toStatus()))
      stream.end()
      return answer(stream)
    }
    for (const change of changes) pass(change)
  }
  leave = collection.follow(pass)
  const seconds = Number(query.get('timeoutSeconds') ?? 0) || 1800 + Math.floor(parts.runtime.random.next() * 1800)
  const timer = parts.runtime.clock.after(seconds * 1000, () => stream.end())
  const unfollow = leave
  leave = () => {
    unfollow()
    timer.cancel()
  }
  request.http.signal?.addEventListener('abort', () => stream.end(), { once: true })
  return answer(stream)
}

function answer(stream: EventStream): Answer {
  return {
    kind: 'response',
    response: {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: stream,
    },
  }
}
