/**
 * The transport without a network: requests go straight into a handler in the same process. Both sides see the same bytes as over a
 * socket; only the socket is missing.
 */
import { concat } from '../../runtime/bytes.ts'
import type { HttpBody, HttpHandler, HttpHeaders, HttpRequest } from '../../runtime/http.ts'
import type { Transport } from './transport.ts'

/** `headers` go with every request, for example the authorization of the caller. */
export function handlerTransport(handler: HttpHandler, headers: HttpHeaders = {}): Transport {
  const call = (request: HttpRequest) => handler({ ...request, headers: { ...headers, ...request.headers } })
  return {
    async send(request) {
      const response = await call(request)
      return { ...response, body: await whole(response.body) }
    },
    async open(request) {
      const response = await call(request)
      return { ...response, body: response.body instanceof Uint8Array ? once(response.body) : response.body }
    },
    close: () => Promise.resolve(),
  }
}

async function whole(body: Uint8Array | HttpBody): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return concat(chunks)
}

async function* once(body: Uint8Array): HttpBody {
  yield body
}
