/** The cluster of a command: the current context of the kubeconfig unless a flag selects another. */
import type { Command } from 'commander'
import { createClient, type KubeClient, loadConnection, type RateLimit } from '../kube/index.ts'
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
  const transport = networkTransport(connection, runtime)
  const client = createClient({ transport, runtime, ...(rateLimit ? { rateLimit } : {}) })
  const { name, server, namespace } = connection
  return { client, name, server, namespace, close: () => transport.close() }
}
