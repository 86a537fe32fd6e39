/** Where a command works: a cluster and a namespace of it. */
import type { Command } from 'commander'
import { parseDuration } from '../cron/duration.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { CarabinerError } from '../runtime/errors.ts'
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
  return clusterOptions(command).option('-n, --namespace <name>', 'namespace (default: that of the context)')
}

/** Calls `work` with the cluster of the command line, and leaves the connection closed. */
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

/** The milliseconds of `--timeout`. */
export function readTimeout(text: string): number {
  const limit = parseDuration(text)
  if (limit !== undefined && limit > 0) return limit
  throw new CarabinerError('CRB_USAGE', `--timeout ${text}: expected a duration such as 90s or 5m`)
}
