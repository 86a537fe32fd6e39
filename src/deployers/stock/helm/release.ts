/**
 * Real releases of helm. What is recorded before helm is called lets a later run, after whatever crash, find the release again: a
 * revision that was left pending is removed, because helm would refuse to touch the release for ever.
 */
import { type HelmRun, valuesFile } from '../../../helm/program.ts'
import { removePending } from '../../../helm/revisions.ts'
import type { KubeClient } from '../../../kube/client/client.ts'
import { resources } from '../../../kube/types.ts'
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import { type ManagedResource, referenceTo } from '../../apply/managed.ts'
import { placer } from '../../apply/scope.ts'
import { wantedObjects } from '../../apply/wanted.ts'
import type { CallOptions, HelmConfiguration } from './configuration.ts'
import { manifestsIn } from './rendered.ts'

/** In the provider status. */
export interface ReleaseRecord {
  readonly name: string
  readonly namespace: string
  /** The run that finished with it. */
  readonly run?: string
}

export function recordedRelease(providerStatus: Json | undefined): ReleaseRecord | undefined {
  const release = isJsonObject(providerStatus) ? providerStatus['release'] : undefined
  if (!isJsonObject(release)) return undefined
  const { name, namespace, run } = release
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined
  return { name, namespace, ...(typeof run === 'string' ? { run } : {}) }
}

/** As many as helm keeps by itself. */
const history = 10

export async function installRelease(
  run: HelmRun,
  chart: readonly string[],
  config: HelmConfiguration,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const { name, namespace, values } = config
  const isThere = await removePending(client, config, signal)
  await run.call({
    args: [
      'upgrade',
      name,
      ...chart,
      '--install',
      `--namespace=${namespace}`,
      '--create-namespace',
      `--history-max=${history}`,
      '--reset-values',
      `--values=${await run.write('values.yaml', valuesFile(values))}`,
      ...optionArguments(isThere ? config.upgrade : config.install),
    ],
    signal,
  })
  return releasedObjects(run, config, client, signal)
}

export async function uninstallRelease(
  run: HelmRun,
  { name, namespace }: ReleaseRecord,
  timeout: string,
  signal: AbortSignal,
): Promise<void> {
  await run.call({
    args: ['uninstall', name, `--namespace=${namespace}`, '--ignore-not-found', '--wait', `--timeout=${timeout}`],
    signal,
  })
}

function optionArguments(options: CallOptions): readonly string[] {
  return [
    ...(options.atomic ? ['--atomic'] : []),
    ...(options.wait ? ['--wait'] : []),
    ...(options.force ? ['--force'] : []),
    ...(options.skipSchemaValidation ? ['--skip-schema-validation'] : []),
    ...(options.takeOwnership ? ['--take-ownership'] : []),
    `--timeout=${options.timeout}`,
  ]
}

/** Helm's own records go, the objects stay: they are applied as manifests from now on. */
export async function forgetRelease(
  client: KubeClient,
  { name, namespace }: ReleaseRecord,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `owner=helm,name=${name}`
  await client.of(resources.secrets).deleteCollection({ namespace, labelSelector, signal })
}

async function releasedObjects(
  run: HelmRun,
  { name, namespace }: HelmConfiguration,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const manifest = await run.call({ args: ['get', 'manifest', name, `--namespace=${namespace}`], signal })
  const wanted = wantedObjects(manifestsIn(manifest))
  const place = placer(client, wanted, namespace)
  const placed = await Promise.all(wanted.map(place))
  return placed.map(({ object }) => ({ policy: 'manage', resource: referenceTo(object) }))
}
