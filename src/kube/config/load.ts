/** Finds the connection to use by default, or for a given file or context. */
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import type { Connection } from './connection.ts'
import { connectionOf } from './context.ts'
import { inClusterConnection } from './incluster.ts'
import { loadKubeconfig, searchPath } from './kubeconfig.ts'

export interface ConnectionOptions {
  /** A file. @default KUBECONFIG, then ~/.kube/config, then the pod's service account */
  readonly kubeconfig?: string
  /** @default the file's current-context */
  readonly context?: string
}

export async function loadConnection(
  runtime: Pick<Runtime, 'files' | 'clock' | 'processes' | 'env'>,
  options: ConnectionOptions = {},
): Promise<Connection> {
  const config = await loadKubeconfig(runtime, options.kubeconfig)
  if (config !== undefined) return connectionOf(config, runtime, options.context)
  const inCluster = await inClusterConnection(runtime)
  if (inCluster !== undefined) return inCluster
  throw new CarabinerError(
    'CRB_KUBECONFIG_MISSING',
    `There is no kubeconfig (looked for ${searchPath(runtime.env).join(', ')}).`,
  )
}
