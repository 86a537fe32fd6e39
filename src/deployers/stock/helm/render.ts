/** Lets helm render a chart for a cluster without touching it: the objects, and the values that exports may be read from. */
import { type HelmRun, valuesFile } from '../../../helm/program.ts'
import type { KubeClient } from '../../../kube/client/client.ts'
import { parseYaml } from '../../../kube/manifest/parse.ts'
import { applyMergePatch } from '../../../patch/merge-patch.ts'
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import { type Wanted, wantedObjects } from '../../apply/wanted.ts'
import type { HelmConfiguration } from './configuration.ts'
import { manifestsIn } from './rendered.ts'

export interface Rendered {
  readonly wanted: readonly Wanted[]
  /** As templates see it: `.Values`, `.Release`. */
  readonly scope: Json
}

export async function renderChart(
  run: HelmRun,
  chart: readonly string[],
  config: HelmConfiguration,
  client: KubeClient,
  signal: AbortSignal,
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
  return { wanted: wantedObjects([...ownNamespace(config), ...manifestsIn(output)]), scope }
}

/** It may hold more than this release, so that it is never deleted. */
function ownNamespace({ createNamespace, namespace }: HelmConfiguration) {
  if (!createNamespace) return []
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  return [{ policy: 'keep' as const, manifest, field: 'spec.config.createNamespace' }]
}

/** Templates ask what the cluster can do; helm would have to be let in to find out by itself. */
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

/** Only asked for when an export needs it: it is a call of its own. */
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
