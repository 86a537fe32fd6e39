/**
 * A small API server on a real socket, controlled by the test: it lists and watches one resource, records its requests, and lets a test
 * take over any request or stream. Like kube-apiserver it accepts a watch from a future version, which stays silent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Item, Storage } from './storage.ts'
import { WatchStream } from './stream.ts'

export type Request = IncomingMessage | Http2ServerRequest
export type Response = ServerResponse | Http2ServerResponse
export type Takeover = (response: Response) => void

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface ServerOptions {
  readonly certificate: Certificate
  readonly http2: boolean
}

export interface RecordedRequest {
  /** `list` is a first page, `probe` a list with limit 1. */
  readonly kind: 'list' | 'page' | 'probe' | 'watch'
  readonly version: string | undefined
  readonly protocol: string
}

export class FaultServer {
  readonly requests: RecordedRequest[] = []
  readonly streams = new Set<WatchStream>()
  storage: Storage
  /** The required bearer token; undefined accepts every request. */
  token: string | undefined
  readonly #takeovers: Record<'list' | 'watch', Takeover[]> = { list: [], watch: [] }
  readonly #snapshots = new Map<number, readonly Item[]>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Http2SecureServer | Server
  #port = 0

  constructor(storage: Storage, { certificate, http2 }: ServerOptions) {
    this.storage = storage
    const answer = (request: Request, response: Response) => this.#answer(request, response)
    this.#server = http2
      ? createSecureServer({ ...certificate, allowHTTP1: true }, answer)
      : createServer({ ...certificate }, answer)
    this.#server.on('sessionError', () => {})
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  get port(): number {
    return this.#port
  }

  count(kind: RecordedRequest['kind']): number {
    return this.requests.filter((entry) => entry.kind === kind).length
  }

  /** The test answers the next requests of this kind. */
  takeOver(kind: 'list' | 'watch', ...takeovers: Takeover[]): void {
    this.#takeovers[kind].push(...takeovers)
  }

  /** Sets the certificate of new connections and closes existing ones. */
  present(certificate: Certificate): void {
    this.#server.setSecureContext(certificate)
    this.disconnect()
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Closes all connections at once and refuses new ones. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.disconnect()
    await closed
  }

  disconnect(): void {
    // A reset as from a firewall, without an orderly end on any layer.
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  #answer(request: Request, response: Response): void {
    const { searchParams: query } = new URL(request.url ?? '', 'http://faults')
    const watch = query.get('watch') === 'true'
    this.requests.push({
      kind: watch ? 'watch' : listKind(query),
      version: query.get('resourceVersion') ?? undefined,
      protocol: request.httpVersion,
    })
    const takeover = this.#takeovers[watch ? 'watch' : 'list'].shift()
    if (takeover !== undefined) takeover(response)
    else if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      refuse(response, 401, 'Unauthorized')
    } else if (watch) this.#watch(Number(query.get('resourceVersion')), response)
    else this.#list(query, response)
  }

  #list(query: URLSearchParams, response: Response): void {
    const [version, from] = positionIn(query.get('continue')) ?? [this.storage.version, 0]
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY)
    const all = this.#snapshots.get(version) ?? [...this.storage.objects.values()]
    this.#snapshots.set(version, all)
    const rest = all.length > from + limit ? `${version}:${from + limit}` : undefined
    respond(response, 200, {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(version), continue: rest },
      items: all.slice(from, from + limit),
    })
  }

  #watch(from: number, response: Response): void {
    const { storage } = this
    const stream = new WatchStream(response)
    if (from < storage.forgottenBefore) {
      stream.error(410, 'Expired')
      stream.end()
      return
    }
    this.streams.add(stream)
    const stop = storage.subscribe((change) => {
      if (change.version > from) stream.deliver(change)
    })
    response.once('close', () => {
      stop()
      this.streams.delete(stream)
    })
    for (const change of storage.history) if (change.version > from) stream.deliver(change)
  }
}

function listKind(query: URLSearchParams): RecordedRequest['kind'] {
  if (query.has('continue')) return 'page'
  return query.get('limit') === '1' ? 'probe' : 'list'
}

function positionIn(token: string | null): [version: number, from: number] | undefined {
  if (token === null) return undefined
  const [version, from] = token.split(':')
  return [Number(version), Number(from)]
}

export function respond(response: Response, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export function refuse(response: Response, code: number, reason: string, headers: Record<string, string> = {}) {
  respond(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }, headers)
}
