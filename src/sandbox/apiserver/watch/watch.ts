/**
 * Watches a collection: the state at some revision, then every selected change. An object that starts or stops matching
 * is reported as ADDED or DELETED.
 */
import { type ApiObject, withMetadata } from '../object.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { type ListOptions, listOptionsOf } from '../rest/list-options.ts'
import { collectionOf, type ResourceRequest } from '../rest/request.ts'
import { selectionOf } from '../rest/selection.ts'
import { waitForRevision } from '../rest/wait-for-revision.ts'
import { expired } from '../status/status-error.ts'
import type { Change } from '../storage/history.ts'
import { Stored } from '../storage/stored.ts'
import type { Bookmarks } from './bookmarks.ts'
import { type EventForm, eventFormOf } from './event-form.ts'
import { type EventEncoder, type EventType, encodeEvent } from './events.ts'
import { EventStream } from './stream.ts'

/** A watch ends when more bytes are queued for a slow client. */
const maxQueuedBytes = 64 * 1024 * 1024

export async function watch(
  request: ResourceRequest,
  encoder: EventEncoder,
  bookmarks: Bookmarks,
): Promise<HandlerResult> {
  const options = listOptionsOf(request.query, true)
  const form = eventFormOf(request, encoder)
  const { resource, info } = request
  const prefix = resource.namespaced && info.namespace !== '' ? `${info.namespace}/` : ''
  const selection = selectionOf(request)
  if (options.sendInitialEvents !== undefined && options.resourceVersion !== undefined) {
    await waitForRevision(request, options.resourceVersion)
  }
  const watcher = new Watcher(request, form, prefix, (object) => selection.matches(object))
  watcher.start(options, bookmarks)
  return {
    kind: 'response',
    response: {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: watcher.stream,
    },
  }
}

class Watcher {
  readonly stream: EventStream
  readonly #request: ResourceRequest
  readonly #form: EventForm
  readonly #prefix: string
  readonly #matches: (object: ApiObject) => boolean
  readonly #cleanups: (() => void)[] = []
  /** Set while an event is being converted; later events are chained to it to keep the order. */
  #tail: Promise<void> | undefined

  constructor(request: ResourceRequest, form: EventForm, prefix: string, matches: (object: ApiObject) => boolean) {
    this.#request = request
    this.#form = form
    this.#prefix = prefix
    this.#matches = matches
    this.stream = new EventStream(() => {
      for (const cleanup of this.#cleanups) cleanup()
    })
  }

  start(options: ListOptions, bookmarks: Bookmarks): void {
    const { parts, http } = this.#request
    const collection = collectionOf(this.#request)
    const from = options.resourceVersion ?? 0
    const initial = options.sendInitialEvents ?? from === 0
    if (initial) {
      for (const [, stored] of collection.range(this.#prefix))
        if (this.#matches(stored.object)) this.#send('ADDED', stored)
      if (options.sendInitialEvents === true && options.allowBookmarks) this.#bookmark(true)
    } else if (from > 0 && !this.#replay(from)) return
    this.#cleanups.push(collection.follow((change) => this.#deliver(change, from)))
    const seconds = options.timeoutSeconds ?? 1800 + Math.floor(parts.runtime.random.next() * 1800)
    const timer = parts.runtime.clock.after(seconds * 1000, () => this.stream.end())
    this.#cleanups.push(() => timer.cancel())
    if (options.allowBookmarks) this.#cleanups.push(bookmarks.follow(() => this.#bookmark(false)))
    const stop = (): void => this.stream.end()
    if (http.signal?.aborted === true) stop()
    http.signal?.addEventListener('abort', stop, { once: true })
    this.#cleanups.push(() => http.signal?.removeEventListener('abort', stop))
  }

  #replay(from: number): boolean {
    const { history } = collectionOf(this.#request)
    const changes = history.since(from)
    if (changes === undefined) {
      const gone = expired(`too old resource version: ${from} (${history.droppedRevision})`)
      this.stream.write(encodeEvent('ERROR', gone.toStatus()))
      this.stream.end()
      return false
    }
    for (const change of changes) this.#deliver(change, from)
    return true
  }

  #deliver(change: Change, from: number): void {
    if (change.revision <= from || !change.key.startsWith(this.#prefix)) return
    const { current, previous, deleted } = change
    const before = previous !== undefined && this.#matches(previous.object)
    if (current !== undefined && this.#matches(current.object)) this.#send(before ? 'MODIFIED' : 'ADDED', current)
    else if (before) this.#send('DELETED', deleted ?? lastSeen(previous, change.revision))
  }

  #send(type: EventType, stored: Stored): void {
    const ready =
      this.#tail === undefined ? this.#form.event(type, stored) : this.#tail.then(() => this.#form.event(type, stored))
    if (ready instanceof Uint8Array) {
      this.#write(ready)
      return
    }
    const tail = ready
      .then((bytes) => this.#write(bytes))
      .catch(() => this.stream.end())
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined
      })
    this.#tail = tail
  }

  #write(bytes: Uint8Array): void {
    this.stream.write(bytes)
    if (this.stream.queuedBytes > maxQueuedBytes) this.stream.end()
  }

  #bookmark(initialEventsEnd: boolean): void {
    const bytes = this.#form.bookmark(this.#request.parts.store.revision, initialEventsEnd)
    if (this.#tail === undefined) this.stream.write(bytes)
    else this.#tail = this.#tail.then(() => this.stream.write(bytes))
  }
}

/** An object that stopped matching is reported in its last matching state at the revision of the change. */
function lastSeen(previous: Stored, revision: number): Stored {
  return new Stored(withMetadata(previous.object, { resourceVersion: String(revision) }), revision)
}
