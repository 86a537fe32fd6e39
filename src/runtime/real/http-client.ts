/**
 * HTTP requests with undici. A body of unknown length is a stream without a timeout,
 * because a watch may send nothing for a long time.
 */
import type { Dispatcher } from 'undici'
import type { HttpBody, HttpClient, HttpEndpoint, HttpHeaders, HttpRequest, HttpResponse } from '../http.ts'
import { Agent, ProxyAgent } from '../undici/index.ts'
import { decodeHeaderValue } from './header-encoding.ts'
import { HttpAgents } from './http-agents.ts'
import { allowManyListeners } from './signals.ts'

/** A body with at most this content length is read at once, because a stream costs more than the bytes. */
const maxBufferedBytes = 256 * 1024

export interface RealHttpClient extends HttpClient {
  /** Closes all connections; running requests are aborted. */
  close(): Promise<void>
}

export function createRealHttpClient(): RealHttpClient {
  const agents = new HttpAgents(createAgent)
  return {
    request: (endpoint, request) => exchange(agents.of(endpoint), endpoint, request),
    close: () => agents.destroy(),
  }
}

function createAgent({ tls, proxy, socket }: HttpEndpoint): Dispatcher {
  const connect = {
    ...(socket !== undefined && { socketPath: socket }),
    ...(tls?.ca !== undefined && { ca: tls.ca }),
    ...(tls?.cert !== undefined && { cert: tls.cert }),
    ...(tls?.key !== undefined && { key: tls.key }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    rejectUnauthorized: tls?.insecureSkipVerify !== true,
  }
  const common = { bodyTimeout: 0, keepAliveTimeout: 30_000 }
  if (proxy !== undefined) return new ProxyAgent({ ...common, uri: proxy, requestTls: connect })
  return new Agent({ ...common, connect })
}

async function exchange(agent: Dispatcher, endpoint: HttpEndpoint, request: HttpRequest): Promise<HttpResponse> {
  if (request.signal !== undefined) allowManyListeners(request.signal)
  const answer = await agent.request({
    origin: endpoint.origin,
    path: request.target,
    method: request.method as Dispatcher.HttpMethod,
    headers: { ...request.headers },
    ...(request.body !== undefined && { body: request.body }),
    ...(request.signal !== undefined && { signal: request.signal }),
  })
  const headers = flatten(answer.headers)
  const length = Number(headers['content-length'] ?? Number.NaN)
  const isShort = length <= maxBufferedBytes && request.streamsBody !== true
  const whole = isShort || request.method === 'HEAD' || answer.statusCode === 204
  const body = whole ? new Uint8Array(await answer.body.arrayBuffer()) : streamed(answer.body)
  return { status: answer.statusCode, headers, body }
}

/** A stream that was not read from is closed too when its iteration ends: the generator alone, before it has begun, would leave it open. */
function streamed(body: Dispatcher.ResponseData['body']): HttpBody {
  body.on('error', () => undefined)
  return {
    [Symbol.asyncIterator]() {
      const chunks = chunksOf(body)
      let isStarted = false
      return {
        next() {
          isStarted = true
          return chunks.next()
        },
        return() {
          if (!isStarted) body.destroy()
          return chunks.return(undefined)
        },
      }
    },
  }
}

/** Like the iterator of the stream, but ending early closes the connection without an error instead of reading the rest. */
async function* chunksOf(body: Dispatcher.ResponseData['body']): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array
  } finally {
    body.destroy()
  }
  return undefined
}

function flatten(headers: Record<string, string | string[] | undefined>): HttpHeaders {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    flat[name.toLowerCase()] = decodeHeaderValue(Array.isArray(value) ? value.join(', ') : value)
  }
  return flat
}
