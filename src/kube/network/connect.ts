/**
 * Connects to the cluster of a kubeconfig. The network transport is loaded when it is used, because loading it takes time.
 */
import type { Runtime } from '../../runtime/index.ts'
import type { KubeClient } from '../client/client.ts'
import { type ClientOptions, createClient } from '../client/create.ts'
import { defaultRateLimit } from '../client/ratelimit.ts'
import type { Connection } from '../config/connection.ts'
import { type ConnectionOptions, loadConnection } from '../config/load.ts'
import type { ResponseLimits } from './response-limits.ts'

interface NetworkOptions extends Omit<ClientOptions, 'transport' | 'runtime'> {
  /** Of the responses. @default wide enough for every API server */
  readonly limits?: ResponseLimits
}

export interface ConnectOptions extends ConnectionOptions, NetworkOptions {}

export interface Cluster {
  readonly client: KubeClient
  readonly connection: Connection
  /** Closes every connection; running requests reject. */
  close(): Promise<void>
}

/** Finds the cluster and makes a client for it; no request is made yet. Rejects when the kubeconfig cannot be used. */
export async function connect(runtime: Runtime, options: ConnectOptions = {}): Promise<Cluster> {
  return connectTo(await loadConnection(runtime, options), runtime, options)
}

export async function connectTo(
  connection: Connection,
  runtime: Runtime,
  options: NetworkOptions = {},
): Promise<Cluster> {
  const { networkTransport } = await import('./transport.ts')
  const transport = networkTransport(connection, runtime, options.limits)
  const client = createClient({ rateLimit: defaultRateLimit, ...options, transport, runtime })
  return { client, connection, close: () => transport.close() }
}
