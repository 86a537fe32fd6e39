/** The connections of one TLS identity: a pool for unary requests, another one for streams. New certificates mean new agents. */
import { createSecureContext } from 'node:tls'
import type { buildConnector, Dispatcher } from 'undici'
import type { TlsClientOptions } from '../../runtime/http.ts'
import { Agent, ProxyAgent } from '../../runtime/real/undici.ts'
import { StreamConnections } from './streams.ts'

/** More requests at once wait for a connection: at 10 ms each this is several times what the rate limit lets through. */
const unaryConnections = 24
const connectTimeout = 10_000
/** Milliseconds that an unused connection stays: work comes in bursts, and a new one costs as much as several requests. Servers wait for 90 s. */
const keepAlive = 30_000

export interface Agents {
  readonly unary: Dispatcher
  readonly streams: StreamConnections
  /** Lets what is under way come to its end. */
  close(): Promise<void>
  destroy(): Promise<void>
}

export function createAgents(origin: URL, tls: TlsClientOptions, proxy: string | undefined): Agents {
  const connect = connectOptions(origin, tls)
  const unary = dispatcher(connect, proxy, unaryConnections)
  const single = dispatcher(connect, proxy, undefined)
  const streams = new StreamConnections(origin, connect, single, proxy === undefined)
  return {
    unary,
    streams,
    async close() {
      await Promise.all([unary.close(), single.close(), streams.close()])
    },
    async destroy() {
      await Promise.all([unary.destroy(), single.destroy(), streams.destroy()])
    },
  }
}

function dispatcher(
  connect: buildConnector.BuildOptions,
  proxy: string | undefined,
  connections: number | undefined,
): Dispatcher {
  const size = connections === undefined ? {} : { connections }
  const options = { keepAliveTimeout: keepAlive, ...size }
  if (proxy === undefined) return new Agent({ connect, ...options })
  return new ProxyAgent({ uri: proxy, requestTls: connect, ...options })
}

function connectOptions({ protocol }: URL, tls: TlsClientOptions): buildConnector.BuildOptions {
  const credentials = {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  }
  return {
    timeout: connectTimeout,
    // Certificates are read once, not again for every connection.
    ...(protocol === 'https:' ? { secureContext: createSecureContext(credentials) } : {}),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecureSkipVerify ? { rejectUnauthorized: false } : {}),
  }
}
