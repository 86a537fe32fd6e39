/**
 * From the product's `HttpResponse` to a Node response of either protocol version. A stream is written no faster than the peer
 * reads, and its source is closed when the peer goes.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { HttpBody, HttpHeaders, HttpResponse } from '../http.ts'
import { lettersToBytes } from './header-letters.ts'

export type Outgoing = ServerResponse | Http2ServerResponse

export async function writeResponse(outgoing: Outgoing, response: HttpResponse, gone: AbortSignal): Promise<void> {
  if (response.body instanceof Uint8Array) {
    if (outgoing.destroyed) return
    outgoing.writeHead(response.status, {
      ...acceptable(outgoing, response.headers),
      'content-length': response.body.byteLength,
    })
    outgoing.end(response.body)
    return
  }
  if (!outgoing.destroyed) {
    outgoing.writeHead(response.status, acceptable(outgoing, response.headers))
    // HTTP/2 has sent them by now; HTTP/1.1 would keep them for the first chunk, and a quiet watch has none.
    if ('flushHeaders' in outgoing) outgoing.flushHeaders()
  }
  await pump(outgoing, response.body, gone)
  outgoing.end()
}

async function pump(outgoing: Outgoing, body: HttpBody, gone: AbortSignal): Promise<void> {
  const source = body[Symbol.asyncIterator]()
  const left = new Promise<'gone'>((resolve) => {
    if (gone.aborted) resolve('gone')
    else gone.addEventListener('abort', () => resolve('gone'), { once: true })
  })
  for (;;) {
    const step = await Promise.race([left, source.next()])
    if (step === 'gone') {
      // Not awaited: a source that waits for an event answers only when the next one comes.
      source.return?.()?.catch(() => undefined)
      return
    }
    if (step.done) return
    if (!write(outgoing, step.value)) await once(outgoing, 'drain', { signal: gone }).catch(() => undefined)
  }
}

function write(outgoing: Outgoing, chunk: Uint8Array): boolean {
  if (outgoing.destroyed) return true
  return isHttp2(outgoing) ? outgoing.write(chunk) : outgoing.write(chunk)
}

/** By what it has, not by its class, which would have to be loaded where nobody speaks HTTP/2. */
function isHttp2(outgoing: Outgoing): outgoing is Http2ServerResponse {
  return 'stream' in outgoing
}

/** HTTP/2 has no connection headers. */
function acceptable(outgoing: Outgoing, headers: HttpHeaders): Record<string, string> {
  const accepted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, lettersToBytes(value)]))
  if (isHttp2(outgoing)) {
    delete accepted['connection']
    delete accepted['keep-alive']
    delete accepted['transfer-encoding']
  }
  return accepted
}
