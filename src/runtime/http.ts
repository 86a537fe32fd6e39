/**
 * HTTP with the same types for both sides: a server is a function from request to response, and a client calls such a function. In
 * a simulation the two are connected without a socket.
 */
import { CarabinerError } from './errors.ts'

/** Header names are lower case; a repeated header is joined with ", ". */
export type HttpHeaders = Readonly<Record<string, string>>

export type HttpBody = AsyncIterable<Uint8Array>

export interface HttpRequest {
  readonly method: string
  /** Path and query, starting with "/". */
  readonly target: string
  readonly headers: HttpHeaders
  /** The whole body; request bodies are never streamed. */
  readonly body?: Uint8Array
  /** Aborts when the peer disconnects (server) or the caller cancels (client). */
  readonly signal?: AbortSignal
  /** Of a client: the response is given as soon as its status is known. @default a short body is read first */
  readonly streamsBody?: true
  /** Facts about the connection, set by servers. */
  readonly peer?: HttpPeer
}

export interface HttpPeer {
  readonly address: string
  /** Common name and organizations of a verified client certificate. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] }
}

export interface HttpResponse {
  readonly status: number
  readonly headers: HttpHeaders
  /** A whole body or a stream; ending the iteration early (`return()`) closes the stream at its source. */
  readonly body: Uint8Array | HttpBody
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>

/** How to reach an origin. Certificates and keys are PEM text. */
export interface TlsClientOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly insecureSkipVerify?: boolean
}

export interface TlsServerOptions {
  readonly cert: string
  readonly key: string
  /** Requests client certificates and verifies them against this CA; a client without one is accepted as unauthenticated. */
  readonly clientCa?: string
}

export interface HttpEndpoint {
  /** For example `https://127.0.0.1:6443`. */
  readonly origin: string
  readonly tls?: TlsClientOptions
  readonly proxy?: string
  /** Path of a unix socket to connect to instead of the host of the origin. */
  readonly socket?: string
}

/** The connection failed, not the request. `code` is the error code of the system. */
export class ConnectionError extends Error {
  readonly code: string

  constructor(code: 'ECONNREFUSED' | 'ECONNRESET', message: string) {
    super(message)
    this.name = 'ConnectionError'
    this.code = code
  }
}

export interface HttpClient {
  request(endpoint: HttpEndpoint, request: HttpRequest): Promise<HttpResponse>
}

/** Where a server listens: on an address, or on a unix socket that only its owner may open. */
export type ListenAddress = (
  | { readonly host: string; readonly port: number; readonly tls?: TlsServerOptions }
  | { readonly socket: string }
) & {
  /** The flag with which users choose the port or the socket, for error messages. */
  readonly flag?: string
}

export interface HttpListener {
  /** 0 for a unix socket. */
  readonly port: number
  /** Replaces the certificate for new connections. */
  reload(tls: TlsServerOptions): void
  /** Stops listening, ends open streams and resolves when all connections are closed. */
  close(): Promise<void>
}

export interface HttpServers {
  listen(place: ListenAddress, handler: HttpHandler): Promise<HttpListener>
}

/** `holder`: the process that listens there, where it is known. */
export function inUse(place: ListenAddress, holder?: string): CarabinerError {
  const [kind, address] = 'socket' in place ? ['socket', place.socket] : ['port', `${place.host}:${place.port}`]
  const { flag } = place
  const other = kind === 'port' ? `${flag} NUMBER; 0 takes any free port` : `${flag} PATH`
  return new CarabinerError(
    'CRB_PORT_IN_USE',
    `cannot listen on ${address}: the ${kind} is in use${holder === undefined ? '' : ` by ${holder}`}`,
    flag === undefined ? {} : { remedy: `Stop that program, or choose another ${kind} with ${other}.` },
  )
}
