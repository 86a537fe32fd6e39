/**
 * Helm releases. The release is recorded before helm is called, so that a later run finds it after a crash. A pending revision is removed
 * first, because helm refuses every operation on a release that has one.
 */
import { type HelmRun, removePending, valuesFile } from '../../../helm/index.ts'
import type { KubeClient } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type ManagedResource, referenceTo } from '../../apply/managed.ts'
import { readManifests } from '../../apply/manifests.ts'
import { typeFinder } from '../../apply/scope.ts'
import type { CallOptions, HelmConfiguration } from './configuration.ts'
import type { HelmCluster } from './program.ts'
import { manifestsIn } from './rendered.ts'

/** The release in the provider status. */
export interface ReleaseRecord {
  readonly name: string
  readonly namespace: string
  /** The last run that installed or upgraded it. */
  readonly run?: string
}

export function recordedRelease(providerStatus: Json | undefined): ReleaseRecord | undefined {
  const release = isJsonObject(providerStatus) ? providerStatus['release'] : undefined
  if (!isJsonObject(release)) return undefined
  const { name, namespace, run } = release
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined
  return { name, namespace, ...(typeof run === 'string' ? { run } : {}) }
}

/** Helm's default. */
const historyMax = 10

export async function installRelease(
  run: HelmRun,
  chart: readonly string[],
  config: HelmConfiguration,
  cluster: HelmCluster,
): Promise<readonly ManagedResource[]> {
  const { name, namespace, values } = config
  const { client, signal } = cluster
  const exists = await removePending(client, config, signal)
  await run.call({
    args: [
      'upgrade',
      name,
      ...chart,
      '--install',
      `--namespace=${namespace}`,
      '--create-namespace',
      `--history-max=${historyMax}`,
      '--reset-values',
      `--values=${await run.write('values.yaml', valuesFile(values))}`,
      ...optionArguments(exists ? config.upgrade : config.install),
    ],
    signal,
  })
  return releasedObjects(run, config, cluster)
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

/** Deletes helm's records of the release but not its objects, which are applied like manifests from now on. */
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
  { client, signal }: HelmCluster,
): Promise<readonly ManagedResource[]> {
  const manifest = await run.call({ args: ['get', 'manifest', name, `--namespace=${namespace}`], signal })
  const desired = readManifests(manifestsIn(manifest))
  const findType = typeFinder(client, desired, namespace)
  const placed = await Promise.all(desired.map(findType))
  return placed.map(({ object }) => ({ policy: 'manage', resource: referenceTo(object) }))
}
