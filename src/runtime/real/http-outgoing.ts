/**
 * Writes an `HttpResponse` to a Node response (HTTP/1.1 or HTTP/2). A stream is written no faster than the peer reads, and its source
 * is closed when the peer disconnects.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { HttpBody, HttpHeaders, HttpResponse } from '../http.ts'
import { encodeHeaderValue } from './header-encoding.ts'

export type Outgoing = ServerResponse | Http2ServerResponse

export async function writeResponse(
  outgoing: Outgoing,
  response: HttpResponse,
  disconnected: AbortSignal,
): Promise<void> {
  if (response.body instanceof Uint8Array) {
    if (outgoing.destroyed) return
    outgoing.writeHead(response.status, {
      ...allowedHeaders(outgoing, response.headers),
      'content-length': response.body.byteLength,
    })
    outgoing.end(response.body)
    return
  }
  if (!outgoing.destroyed) {
    outgoing.writeHead(response.status, allowedHeaders(outgoing, response.headers))
    // HTTP/2 has sent the headers; HTTP/1.1 would hold them until the first chunk, which a watch without events never writes.
    if ('flushHeaders' in outgoing) outgoing.flushHeaders()
  }
  await pump(outgoing, response.body, disconnected)
  outgoing.end()
}

async function pump(outgoing: Outgoing, body: HttpBody, disconnected: AbortSignal): Promise<void> {
  const source = body[Symbol.asyncIterator]()
  const left = new Promise<'disconnected'>((resolve) => {
    if (disconnected.aborted) resolve('disconnected')
    else disconnected.addEventListener('abort', () => resolve('disconnected'), { once: true })
  })
  for (;;) {
    const step = await Promise.race([left, source.next()])
    if (step === 'disconnected') {
      // Not awaited: a generator that waits for an event returns only when the next event arrives.
      source.return?.()?.catch(() => undefined)
      return
    }
    if (step.done) return
    if (!write(outgoing, step.value)) await once(outgoing, 'drain', { signal: disconnected }).catch(() => undefined)
  }
}

function write(outgoing: Outgoing, chunk: Uint8Array): boolean {
  if (outgoing.destroyed) return true
  return isHttp2(outgoing) ? outgoing.write(chunk) : outgoing.write(chunk)
}

/** Checked by a property: an `instanceof` check would load `node:http2` even when it is not used. */
function isHttp2(outgoing: Outgoing): outgoing is Http2ServerResponse {
  return 'stream' in outgoing
}

/** HTTP/2 forbids connection headers. */
function allowedHeaders(outgoing: Outgoing, headers: HttpHeaders): Record<string, string> {
  const accepted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, encodeHeaderValue(value)]))
  if (isHttp2(outgoing)) {
    delete accepted['connection']
    delete accepted['keep-alive']
    delete accepted['transfer-encoding']
  }
  return accepted
}
