/** The connection of a program in a pod, with the service account token that the kubelet renews. */
import type { Runtime } from '../../runtime/index.ts'
import { assemble } from './assemble.ts'
import type { Connection } from './connection.ts'
import { tokenFrom } from './credentials.ts'
import { RotatingFile } from './rotating.ts'

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Undefined outside a pod. */
export async function inClusterConnection(
  runtime: Pick<Runtime, 'files' | 'clock' | 'env'>,
): Promise<Connection | undefined> {
  const { files, env } = runtime
  const host = env['KUBERNETES_SERVICE_HOST']
  const port = env['KUBERNETES_SERVICE_PORT']
  if (!host || !port || (await files.facts(`${serviceAccount}/token`)) === undefined) return undefined
  const namespace = await files.readText(`${serviceAccount}/namespace`).catch(() => 'default')
  const connection = assemble({
    name: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    proxy: undefined,
    ca: new RotatingFile(runtime, `${serviceAccount}/ca.crt`, 'service account'),
    credentials: tokenFrom(new RotatingFile(runtime, `${serviceAccount}/token`, 'service account')),
    tls: {},
    headers: {},
  })
  return { ...connection, isInCluster: true }
}
