/**
 * The transport without a network: it passes requests to a handler in the same process, with the same bytes as over a socket.
 */
import { concat, type HttpBody, type HttpHandler, type HttpHeaders, type HttpRequest } from '../../runtime/index.ts'
import type { Transport } from './transport.ts'

/** `headers` are sent with every request, for example the caller's authorization. */
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
