/** Creates the script hooks surface from flags and environment. */
import { resolve } from 'node:path'
import type { HookLayout, ScriptsOptions } from '../../addons/scripts/index.ts'
import type { Surface } from '../../operator/index.ts'
import { CarabinerError, type ListenAddress, type Runtime } from '../../runtime/index.ts'
import type { ClusterOptions } from '../cluster.ts'
import { frameworkDir } from '../package-folder.ts'
import type { OperatorFolders } from '../socket.ts'
import { filterOptions } from './jq-modules.ts'
import { moduleSettings } from './modules.ts'
import type { ResolvedScripts } from './resolve.ts'
import { webhookOptions } from './webhooks.ts'

/** Files in which users of addon-operator look up the queue. */
const queueFiles = ['/tmp/addon-operator-queue', '/tmp/addon-operator-tasks-queue']

interface SurfacePlace {
  readonly podNamespace: string
  readonly folders: OperatorFolders
  /** Reloads edited hooks. @default false */
  readonly watch?: boolean
  /** The flags for modules and the cluster in which charts are installed. */
  readonly modules?: { readonly flags: Readonly<Record<string, unknown>>; readonly cluster: ClusterOptions }
}

export async function scriptsSurfaceOf(
  place: HookLayout,
  resolved: ResolvedScripts,
  runtime: Runtime,
  { podNamespace, folders, modules, watch = false }: SurfacePlace,
): Promise<Surface> {
  const { values, given, withoutEffect } = resolved
  const isDocument = place.layout === 'document'
  for (const { name, reason } of withoutEffect) runtime.log.warn(`${name} has no effect`, { reason })
  const { socket } = folders
  const defaultTmpDir = folders.tmpDir ?? (isDocument ? '/tmp/addon-operator' : values.tmpDir)
  const tmpDir = resolve(given.has('tmpDir') ? values.tmpDir : defaultTmpDir)
  runtime.log.info('script hooks use these paths', { debugSocket: socket, tmpDir })
  const options: ScriptsOptions = {
    place,
    watch,
    skipInvalidHooks: values.skipInvalidHooks,
    keepTemporaryFiles: values.debugKeepTmpFiles,
    mergeJsonLines: values.logProxyHookJson,
    hookMetricsEverywhere: values.hookMetricsEverywhere,
    frameworkDir: frameworkDir(),
    journalNamespace: podNamespace,
    ...podOf(runtime, podNamespace),
    tmpDir,
    debug: [{ socket, flag: '--debug-unix-socket' }, ...debugPlaces(values.debugHttpAddr)],
    queueFiles: isDocument ? queueFiles : [],
    webhooks: await webhookOptions(resolved, runtime, podNamespace),
    ...(given.has('prometheusMetricsPrefix') ? { metricsPrefix: values.prometheusMetricsPrefix } : {}),
    ...(values.hookTimeout > 0 ? { timeout: values.hookTimeout } : {}),
    jq: filterOptions(values.jqLibraryPath),
  }
  if (place.layout === 'folder') {
    const { scriptsSurface } = await import('../../addons/scripts/index.ts')
    return scriptsSurface(options)
  }
  const { modulesSurface } = await import('../../addons/modules/index.ts')
  const namespace = values.namespace === '' ? podNamespace : values.namespace
  const { flags = {}, cluster = {} } = modules ?? {}
  return modulesSurface({ ...options, place, ...moduleSettings(place, flags, runtime, { namespace, cluster }) })
}

function debugPlaces(address: string): readonly ListenAddress[] {
  if (address === '') return []
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? []
  if (port === '') throw new CarabinerError('CRB_SETTING_INVALID', `--debug-http-addr ${address} must be HOST:PORT`)
  return [{ host: host === '' ? '127.0.0.1' : host, port: Number(port), flag: '--debug-http-addr' }]
}

/** In a pod the host name is the name of the pod. */
function podOf({ env }: Pick<Runtime, 'env'>, namespace: string): Pick<ScriptsOptions, 'pod'> {
  const { HOSTNAME: name, KUBERNETES_SERVICE_HOST: host } = env
  return name === undefined || host === undefined ? {} : { pod: { name, namespace } }
}
