/** The cluster of a command: the current context of the kubeconfig unless a flag selects another. */
import type { Command } from 'commander'
import {
  type Connection,
  createClient,
  impersonating,
  type KubeClient,
  loadConnection,
  type RateLimit,
  type Transport,
} from '../kube/index.ts'
import { networkTransport } from '../kube/network/index.ts'
import type { CliContext } from './context.ts'

export interface ClusterOptions {
  readonly kubeconfig?: string
  readonly context?: string
  /** Address of the API server, instead of the one in the kubeconfig. */
  readonly server?: string
}

export interface ConnectedCluster {
  readonly client: KubeClient
  /** Name of the context. */
  readonly name: string
  readonly server: string
  /** The default namespace of the context. */
  readonly namespace: string
  /** Whether this process is a pod of the cluster and has the identity of its service account. */
  readonly isInCluster: boolean
  /** A client that acts as another user; without a user, as the credentials themselves, without the `as` of the kubeconfig. */
  clientAs(user: string | undefined): KubeClient
  close(): Promise<void>
}

export function clusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: KUBECONFIG, then ~/.kube/config, then the service account of the pod)',
    )
    .option('--context <name>', 'context to use (default: the current context)')
}

export async function connectCluster(
  context: CliContext,
  options: ClusterOptions,
  rateLimit?: RateLimit,
): Promise<ConnectedCluster> {
  const { runtime } = context
  const found = await loadConnection(runtime, options)
  const connection = options.server === undefined ? found : { ...found, server: options.server.replace(/\/+$/, '') }
  const transports: Transport[] = []
  const clientOn = (one: Connection) => {
    const transport = networkTransport(one, runtime)
    transports.push(transport)
    return createClient({ transport, runtime, ...(rateLimit ? { rateLimit } : {}) })
  }
  const { name, server, namespace, isInCluster = false } = connection
  return {
    client: clientOn(connection),
    ...{ name, server, namespace, isInCluster },
    clientAs: (user) => clientOn(impersonating(connection, user)),
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()))
    },
  }
}
