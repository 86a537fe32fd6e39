/** Renders a chart with helm without access to the cluster: the objects, and the values for exports. */
import { type HelmRun, valuesFile } from '../../../helm/index.ts'
import { type KubeClient, parseYaml } from '../../../kube/index.ts'
import { applyMergePatch } from '../../../patch/index.ts'
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type DesiredObject, readManifests } from '../../apply/manifests.ts'
import type { HelmConfiguration } from './configuration.ts'
import type { HelmCluster } from './program.ts'
import { manifestsIn } from './rendered.ts'

export interface Rendered {
  readonly desired: readonly DesiredObject[]
  /** `.Values` and `.Release` as templates see them. */
  readonly scope: Json
  /** Characters of the rendered manifests. */
  readonly length: number
}

export async function renderChart(
  run: HelmRun,
  chart: readonly string[],
  config: HelmConfiguration,
  { client, signal }: HelmCluster,
): Promise<Rendered> {
  const { name, namespace, values } = config
  const output = await run.call({
    args: [
      'template',
      name,
      ...chart,
      `--namespace=${namespace}`,
      `--values=${await run.write('values.yaml', valuesFile(values))}`,
      '--include-crds',
      '--skip-tests',
      ...(await capabilities(client)),
    ],
    signal,
  })
  const scope = { Release: { Name: name, Namespace: namespace }, Values: await allValues(run, chart, config, signal) }
  const desired = readManifests([...ownNamespace(config), ...manifestsIn(output)])
  return { desired, scope, length: output.length }
}

/** With the policy `keep`, because the namespace may contain objects of others. */
function ownNamespace({ createNamespace, namespace }: HelmConfiguration) {
  if (!createNamespace) return []
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  return [{ policy: 'keep' as const, manifest, field: 'spec.config.createNamespace' }]
}

/** Kubernetes version and API versions for `.Capabilities`, because helm itself has no access to the cluster. */
async function capabilities(client: KubeClient): Promise<readonly string[]> {
  const version = (await client.raw('GET', '/version')) as { readonly gitVersion?: string }
  const catalog = await client.discovery.catalog()
  const versions = new Set<string>()
  for (const { group, version: one, kind } of catalog) {
    const groupVersion = group === '' ? one : `${group}/${one}`
    versions.add(groupVersion)
    versions.add(`${groupVersion}/${kind}`)
  }
  return [
    ...(version.gitVersion === undefined ? [] : [`--kube-version=${version.gitVersion}`]),
    `--api-versions=${[...versions].join(',')}`,
  ]
}

/** Calls helm only when an export reads from the values. */
async function allValues(
  run: HelmRun,
  chart: readonly string[],
  { values, exports }: HelmConfiguration,
  signal: AbortSignal,
): Promise<Json> {
  if (exports.every(({ from }) => from !== undefined)) return values
  const own = parseYaml(await run.call({ args: ['show', 'values', ...chart], signal }), 'values.yaml of the chart')
  return applyMergePatch(isJsonObject(own) ? own : {}, values)
}
