/**
 * HTTP in one vocabulary for both sides: a server is a function from request to response, a client is the same function from the
 * other end. In virtual time the two are joined without a socket.
 */

/** Header names are lower case; a repeated header is joined with ", ". */
export type HttpHeaders = Readonly<Record<string, string>>

export type HttpBody = AsyncIterable<Uint8Array>

export interface HttpRequest {
  readonly method: string
  /** Path and query, starting with "/". */
  readonly target: string
  readonly headers: HttpHeaders
  /** The whole body; requests of this product are never streamed. */
  readonly body?: Uint8Array
  /** Aborts when the other side has gone away or the caller has lost interest. */
  readonly signal?: AbortSignal
  /** Facts about the connection, given by servers. */
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
  /** A whole body, or a stream; ending early (`return()`) closes the stream at its source. */
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
  /** Ask for client certificates and verify them against this CA; a client without one is let through unauthenticated. */
  readonly clientCa?: string
}

export interface HttpEndpoint {
  /** For example `https://127.0.0.1:6443`. */
  readonly origin: string
  readonly tls?: TlsClientOptions
  readonly proxy?: string
  /** Path of a unix socket to talk to, whatever the origin says. */
  readonly socket?: string
}

/** The connection failed rather than the request: refused, reset, broken off. `code` is the system's word for it. */
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

/** Where a server waits: an address, or a unix socket that only its owner may open. */
export type HttpPlace =
  | { readonly host: string; readonly port: number; readonly tls?: TlsServerOptions }
  | { readonly socket: string }

export interface HttpListener {
  /** 0 for a unix socket. */
  readonly port: number
  /** Swaps the certificate for new connections. */
  reload(tls: TlsServerOptions): void
  /** Stops listening, ends open streams, resolves when all connections are closed. */
  close(): Promise<void>
}

export interface HttpServers {
  listen(place: HttpPlace, handler: HttpHandler): Promise<HttpListener>
}
