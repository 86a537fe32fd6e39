/** The cluster and the namespace a command works on. */
import type { Command } from 'commander'
import { parseDuration } from '../cron/index.ts'
import type { KubeClient } from '../kube/index.ts'
import { CarabinerError } from '../runtime/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from './cluster.ts'
import type { CliContext } from './context.ts'

export interface PlaceOptions extends ClusterOptions {
  readonly namespace?: string
}

export interface Place {
  readonly client: KubeClient
  readonly namespace: string
}

export function placeOptions(command: Command): Command {
  return clusterOptions(command).option('-n, --namespace <name>', 'namespace (default: the namespace of the context)')
}

/** Connects to the cluster of the command line, calls `work` and closes the connection. */
export async function inCluster(
  context: CliContext,
  options: PlaceOptions,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const cluster = await connectCluster(context, options)
  try {
    await work({ client: cluster.client, namespace: options.namespace ?? cluster.namespace })
  } finally {
    await cluster.close()
  }
}

/** Parses `--timeout` to milliseconds. */
export function readTimeout(text: string): number {
  const limit = parseDuration(text)
  if (limit !== undefined && limit > 0) return limit
  throw new CarabinerError('CRB_USAGE', `--timeout ${text}: expected a duration such as 90s or 5m`)
}
