/** A folder of script hooks as a surface of the operator, from flags and environment. */
import { resolve } from 'node:path'
import type { HookLayout } from '../../addons/scripts/index.ts'
import type { Surface } from '../../operator/surface.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { HttpPlace } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { frameworkDir } from '../package-folder.ts'
import { socketPath } from '../socket.ts'
import { idleForModules } from './addon-operator.ts'
import { modulesIn } from './jq-modules.ts'
import type { ResolvedScripts } from './resolve.ts'
import { webhookOptions } from './webhooks.ts'

/** Where the document's users look for what waits in the queue. */
const queueFiles = ['/tmp/addon-operator-queue', '/tmp/addon-operator-tasks-queue']

export async function scriptsSurfaceOf(
  place: HookLayout,
  resolved: ResolvedScripts,
  runtime: Runtime,
  { podNamespace, debugUnixSocket }: { readonly podNamespace: string; readonly debugUnixSocket?: string | undefined },
): Promise<Surface> {
  const { values, given, idle } = resolved
  const isDocument = place.layout === 'document'
  const ofModules = isDocument ? await idleForModules(place.workingDir, runtime.env, runtime.files) : []
  for (const { name, reason } of [...idle, ...ofModules]) runtime.log.warn(`${name} has no effect`, { reason })
  const { scriptsSurface } = await import('../../addons/scripts/index.ts')
  const socket = socketPath({ runtime }, debugUnixSocket === undefined ? {} : { debugUnixSocket })
  return scriptsSurface({
    place,
    skipInvalidHooks: values.skipInvalidHooks,
    keepTemporaryFiles: values.debugKeepTmpFiles,
    mergeJsonLines: values.logProxyHookJson,
    frameworkDir: frameworkDir(),
    tmpDir: isDocument && !given.has('tmpDir') ? '/tmp/addon-operator' : resolve(values.tmpDir),
    debug: [{ socket }, ...debugPlaces(values.debugHttpAddr)],
    queueFiles: isDocument ? queueFiles : [],
    webhooks: await webhookOptions(resolved, runtime, podNamespace),
    ...(given.has('prometheusMetricsPrefix') ? { metricsPrefix: values.prometheusMetricsPrefix } : {}),
    ...(values.hookTimeout > 0 ? { timeout: values.hookTimeout } : {}),
    ...(values.jqLibraryPath === '' ? {} : { jq: { modules: modulesIn(resolve(values.jqLibraryPath)) } }),
  })
}

function debugPlaces(address: string): readonly HttpPlace[] {
  if (address === '') return []
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? []
  if (port === '') throw new CarabinerError('CRB_SETTING_INVALID', `--debug-http-addr ${address} must be HOST:PORT`)
  return [{ host: host === '' ? '127.0.0.1' : host, port: Number(port) }]
}
