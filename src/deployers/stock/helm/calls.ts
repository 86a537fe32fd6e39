/** Calls of helm for one deploy item. */
import type { HelmRun } from '../../../helm/index.ts'
import type { DeployContext } from '../../library/deployer.ts'
import type { TargetAccess, Targets } from '../../targets/clients.ts'
import { registryConfiguration } from '../configuration/registries.ts'
import type { InstallationKind } from '../installation/install.ts'
import { chartArguments } from './chart.ts'
import { type HelmConfiguration, helmGroup } from './configuration.ts'
import { type HelmSettings, withHelm } from './program.ts'

export const helmKind: InstallationKind = { apiVersion: `${helmGroup}/v1alpha1`, label: `${helmGroup}/deployitem` }

export interface HelmDependencies {
  readonly targets: Targets
  readonly settings: HelmSettings
}

/** Without `access` helm cannot reach any cluster. */
export async function withItemHelm<T>(
  context: DeployContext,
  settings: HelmSettings,
  access: TargetAccess | undefined,
  work: (run: HelmRun) => Promise<T>,
): Promise<T> {
  const { namespace, name } = context.deployItem.metadata
  const registries = await registryConfiguration(context)
  const material = { runtime: context.runtime, settings, item: `deploy item "${namespace}/${name}"`, registries }
  return withHelm({ ...material, kubeconfig: access === undefined ? emptyKubeconfig : access.kubeconfig }, work)
}

/** An empty kubeconfig, so that helm does not use another one. */
const emptyKubeconfig = JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [], users: [], contexts: [] })

export function chartFor(context: DeployContext, settings: HelmSettings, run: HelmRun, { chart }: HelmConfiguration) {
  const repositoryCredentials = context.lsContext.configurations?.['helmChartRepoCredentials']
  return chartArguments(chart, {
    run,
    files: context.runtime.files,
    settings,
    repositoryCredentials,
    signal: context.signal,
  })
}
