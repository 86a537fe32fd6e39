/** The connections of one TLS identity: a pool for unary requests and one for streams. New certificates need new agents. */
import { createSecureContext } from 'node:tls'
import type { buildConnector, Dispatcher } from 'undici'
import type { TlsClientOptions } from '../../runtime/index.ts'
import { Agent, ProxyAgent } from '../../runtime/undici/index.ts'
import { StreamConnections } from './streams.ts'

/** Further requests wait for a connection; at 10 ms per request this is several times the rate limit. */
const unaryConnections = 24
const connectTimeoutMs = 10_000
/** Work comes in bursts, and a new connection costs as much as several requests. Servers close idle connections after 90 s. */
const keepAliveMs = 30_000

export interface Agents {
  readonly unary: Dispatcher
  readonly streams: StreamConnections
  /** Running requests complete. */
  close(): Promise<void>
  destroy(): Promise<void>
}

export function createAgents(origin: URL, tls: TlsClientOptions, proxy: string | undefined): Agents {
  const connect = connectOptions(origin, tls)
  const unary = dispatcher(connect, proxy, unaryConnections)
  const single = dispatcher(connect, proxy, undefined)
  const streams = new StreamConnections(origin, { connect, single, isDirect: proxy === undefined })
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
  const options = { keepAliveTimeout: keepAliveMs, ...size }
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
    timeout: connectTimeoutMs,
    // Parse certificates once, not for every connection.
    ...(protocol === 'https:' ? { secureContext: createSecureContext(credentials) } : {}),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecureSkipVerify ? { rejectUnauthorized: false } : {}),
  }
}
