/**
 * From "this machine's kubeconfig" to a client in one call. The network is loaded only here and only when it is used, so that everything
 * else also runs where there are no sockets.
 */
import type { Runtime } from '../../runtime/runtime.ts'
import type { KubeClient } from '../client/client.ts'
import { type ClientOptions, createClient } from '../client/create.ts'
import { defaultRateLimit } from '../client/ratelimit.ts'
import type { Connection } from '../config/connection.ts'
import { type ConnectionOptions, loadConnection } from '../config/load.ts'

export interface ConnectOptions extends ConnectionOptions, Omit<ClientOptions, 'transport' | 'runtime'> {}

export interface Cluster {
  readonly client: KubeClient
  readonly connection: Connection
  /** Cuts every connection; requests under way reject. */
  close(): Promise<void>
}

/** Finds the cluster and makes a client for it; no request is made yet. Rejects when the kubeconfig cannot be used. */
export async function connect(runtime: Runtime, options: ConnectOptions = {}): Promise<Cluster> {
  return connectTo(await loadConnection(runtime, options), runtime, options)
}

export async function connectTo(
  connection: Connection,
  runtime: Runtime,
  options: Omit<ClientOptions, 'transport' | 'runtime'> = {},
): Promise<Cluster> {
  const { networkTransport } = await import('./transport.ts')
  const transport = networkTransport(connection, runtime)
  const client = createClient({ rateLimit: defaultRateLimit, ...options, transport, runtime })
  return { client, connection, close: () => transport.close() }
}
