/** The fault server without a socket: the same storage as an HTTP handler, for runs in virtual time. */
import type { Clock } from '../../../src/runtime/clock.ts'
import type { HttpBody, HttpHandler } from '../../../src/runtime/http.ts'
import type { Change, Storage } from './storage.ts'

const encode = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)

export interface StorageHandler {
  readonly handle: HttpHandler
  lists: number
  watches: number
}

export function createHandler(storage: Storage, clock: Clock): StorageHandler {
  const server: StorageHandler = {
    lists: 0,
    watches: 0,
    async handle({ target, signal }) {
      const { searchParams: query } = new URL(target, 'http://faults')
      const headers = { 'content-type': 'application/json' }
      if (query.get('watch') === 'true') {
        server.watches++
        const from = Number(query.get('resourceVersion'))
        const timeout = Number(query.get('timeoutSeconds')) * 1000
        return { status: 200, headers, body: watch(storage, from, until(clock, timeout, signal)) }
      }
      const limit = Number(query.get('limit'))
      const from = Number(query.get('continue') ?? 0)
      if (limit !== 1 && from === 0) server.lists++
      const all = [...storage.objects.values()]
      const metadata = {
        resourceVersion: String(storage.version),
        ...(all.length > from + limit && { continue: String(from + limit) }),
      }
      return { status: 200, headers, body: encode({ metadata, items: all.slice(from, from + limit) }) }
    },
  }
  return server
}

/** Aborts when the client disconnects or the watch times out. */
function until(clock: Clock, timeout: number, gone: AbortSignal | undefined): AbortSignal {
  const over = new AbortController()
  const timer = clock.after(timeout, () => over.abort())
  gone?.addEventListener('abort', () => {
    timer.cancel()
    over.abort()
  })
  return over.signal
}

async function* watch(storage: Storage, from: number, over: AbortSignal): HttpBody {
  if (from < storage.forgottenBefore) {
    yield encode({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410 } })
    return
  }
  const pending: Change[] = storage.history.filter((change) => change.version > from)
  let wake = () => {}
  const stop = storage.subscribe((change) => {
    if (change.version > from) pending.push(change)
    wake()
  })
  over.addEventListener('abort', () => wake())
  try {
    while (!over.aborted) {
      const next = pending.shift()
      if (next !== undefined) yield encode({ type: next.type, object: next.object })
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    stop()
  }
}
