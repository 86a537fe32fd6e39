/** HTTP servers: plain HTTP/1.1, or TLS with HTTP/2 and HTTP/1.1. Handlers do not depend on the protocol. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { CarabinerError } from '../errors.ts'
import {
  ConnectionError,
  type HttpHandler,
  type HttpListener,
  type HttpServers,
  inUse,
  type ListenAddress,
  type TlsServerOptions,
} from '../http.ts'
import { readRequest } from './http-incoming.ts'
import { type Outgoing, writeResponse } from './http-outgoing.ts'
import { holderOf } from './port-holder.ts'
import { allowManyListeners } from './signals.ts'
import { prepareSocketPath, restrictToOwner } from './unix-socket.ts'

/** How long running requests may take after `close` before their connections are closed. */
const closeGraceMs = 2_000

interface Exchange {
  readonly outgoing: Outgoing
  readonly disconnected: AbortController
}

export function createRealHttpServers(): HttpServers {
  return {
    listen: async (place, handler) => {
      const active = new Set<Exchange>()
      const onRequest = (incoming: IncomingMessage | Http2ServerRequest, outgoing: Outgoing): void => {
        void serve(incoming, outgoing, handler, active)
      }
      const tls = 'socket' in place ? undefined : place.tls
      const server = tls === undefined ? plain(onRequest) : await secure(tls, onRequest)
      const sockets = new Set<Socket>()
      server.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
      })
      await bound(server, place)
      return listener(server, active, sockets)
    },
  }
}

type OnRequest = (
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
) => void

function plain(onRequest: OnRequest): Server {
  return createServer({ keepAliveTimeout: 65_000 }, onRequest)
}

async function secure(tls: TlsServerOptions, onRequest: OnRequest): Promise<Http2SecureServer> {
  // Loaded on demand: it takes half a megabyte, and most operators serve no TLS.
  const { createSecureServer } = await import('node:http2')
  const server = createSecureServer(
    { ...secureContext(tls), allowHTTP1: true, requestCert: tls.clientCa !== undefined, rejectUnauthorized: false },
    onRequest,
  )
  // A peer that aborts the handshake or the session must not end the process.
  server.on('sessionError', () => undefined)
  server.on('tlsClientError', () => undefined)
  return server
}

function secureContext(tls: TlsServerOptions): { cert: string; key: string; ca?: string } {
  return { cert: tls.cert, key: tls.key, ...(tls.clientCa !== undefined && { ca: tls.clientCa }) }
}

async function bound(server: Server | Http2SecureServer, place: ListenAddress): Promise<void> {
  try {
    if ('socket' in place) await prepareSocketPath(place.socket)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      if ('socket' in place) server.listen(place.socket, resolve)
      else server.listen(place.port, place.host, resolve)
    })
    if ('socket' in place) await restrictToOwner(place.socket)
  } catch (error) {
    throw notBound(place, error as NodeJS.ErrnoException)
  }
}

function notBound(place: ListenAddress, error: NodeJS.ErrnoException): CarabinerError {
  const address = 'socket' in place ? place.socket : `${place.host}:${place.port}`
  if (error.code === 'EADDRINUSE') return inUse(place, holderOf(place))
  return new CarabinerError('CRB_LISTEN_FAILED', `cannot listen on ${address}: ${error.message}`, { cause: error })
}

async function serve(
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: Outgoing,
  handler: HttpHandler,
  active: Set<Exchange>,
): Promise<void> {
  const exchange: Exchange = { outgoing, disconnected: new AbortController() }
  allowManyListeners(exchange.disconnected.signal)
  active.add(exchange)
  incoming.on('error', () => undefined)
  outgoing.on('error', () => undefined)
  outgoing.once('close', () => {
    active.delete(exchange)
    if (!outgoing.writableEnded) exchange.disconnected.abort(new Error('the other side has gone away'))
  })
  try {
    const request = await readRequest(incoming, exchange.disconnected.signal)
    if (request === 'too large') {
      await writeResponse(
        outgoing,
        { status: 413, headers: { connection: 'close' }, body: new Uint8Array() },
        exchange.disconnected.signal,
      )
      return
    }
    await writeResponse(outgoing, await handler(request), exchange.disconnected.signal)
  } catch (error) {
    // Handlers answer their own failures; for any other error the response is 500, or the connection is closed.
    if (outgoing.headersSent || error instanceof ConnectionError) {
      outgoing.destroy(error instanceof Error ? error : undefined)
      return
    }
    outgoing.writeHead(500)
    outgoing.end()
  }
}

function listener(server: Server | Http2SecureServer, active: Set<Exchange>, sockets: Set<Socket>): HttpListener {
  return {
    port: portOf(server.address()),
    reload: (tls) => {
      if ('setSecureContext' in server) server.setSecureContext(secureContext(tls))
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const answered = [...active].map(
        ({ outgoing, disconnected }) =>
          new Promise<void>((resolve) => {
            outgoing.once('close', () => resolve())
            disconnected.abort(new Error('the server is closing'))
          }),
      )
      let timer: NodeJS.Timeout | undefined
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeGraceMs)
      })
      await Promise.race([Promise.all(answered), grace])
      clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function portOf(address: AddressInfo | string | null): number {
  return address === null || typeof address === 'string' ? 0 : address.port
}
