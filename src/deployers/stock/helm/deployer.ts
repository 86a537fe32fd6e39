/**
 * The helm deployer. By default a release of helm's own; with `helmDeployment: false` helm only renders, and the objects are applied,
 * watched and deleted as those of the manifest deployer.
 */
import type { HelmRun } from '../../../helm/program.ts'
import { type DeployContext, type Deployer, defineDeployer, type Outcome } from '../../library/deployer.ts'
import { runIdOf } from '../../library/run-id.ts'
import type { TargetAccess, Targets } from '../../targets/clients.ts'
import { forDeletion } from '../configuration/compile.ts'
import { registryConfiguration } from '../configuration/registries.ts'
import { stockHooks } from '../hooks.ts'
import { finish, install, type Kind, uninstall } from '../installation/install.ts'
import { accessOf, installationFor } from '../installation/prepare.ts'
import { readStatus, writeStatus } from '../installation/status.ts'
import { chartArguments } from './chart.ts'
import { decodeHelm, type HelmConfiguration, helmGroup } from './configuration.ts'
import { type HelmSettings, withHelm } from './program.ts'
import { forgetRelease, installRelease, recordedRelease, uninstallRelease } from './release.ts'
import { type Rendered, renderChart } from './render.ts'

export const helmType = 'landscaper.gardener.cloud/helm'

const kind: Kind = { apiVersion: `${helmGroup}/v1alpha1`, label: `${helmGroup}/deployitem` }

export function helmDeployer(targets: Targets, settings: HelmSettings = {}): Deployer {
  /** What a run has rendered, until it is done: it comes back many times while pods start. */
  const renderings = new Map<string, { readonly run: string; readonly rendered: Rendered }>()

  async function apply(context: DeployContext, config: HelmConfiguration): Promise<Outcome | undefined> {
    const installation = await installationFor(context, targets, kind, config)
    const { uid = '' } = context.deployItem.metadata
    const run = runIdOf(context.deployItem)
    const kept = renderings.get(uid)
    const { client } = installation
    const rendered =
      kept?.run === run
        ? kept.rendered
        : await inRun(context, settings, undefined, async (helm) => {
            const chart = await chartFor(context, settings, helm, config)
            return renderChart(helm, chart, config, client, context.signal)
          })
    renderings.set(uid, { run, rendered })
    const contents = { wanted: rendered.wanted, rendered: rendered.scope, values: undefined }
    const recorded = recordedRelease(context.deployItem.status.providerStatus)
    if (recorded !== undefined) await forgetRelease(client, recorded, context.signal)
    try {
      const outcome = await install(context, { ...installation, defaultNamespace: config.namespace }, contents)
      if (outcome === undefined) renderings.delete(uid)
      return outcome
    } catch (error) {
      renderings.delete(uid)
      throw error
    }
  }

  async function release(context: DeployContext, config: HelmConfiguration): Promise<Outcome | undefined> {
    const access = await accessOf(context, targets, config.kubeconfig)
    const { deployItem, signal } = context
    const { name, namespace } = config
    const recorded = recordedRelease(deployItem.status.providerStatus)
    const run = runIdOf(deployItem)
    const status = readStatus(context)
    const scope = { Release: { Name: name, Namespace: namespace }, Values: config.values }
    let { managed } = status
    if (recorded?.run !== run) {
      if (recorded?.name !== name || recorded.namespace !== namespace) {
        if (recorded !== undefined) await remove(context, access, recorded, config.uninstallTimeout)
        // Before helm is called: a crash must not leave a release behind that nobody knows of.
        writeStatus(context, kind.apiVersion, status, { release: { name, namespace } })
        await context.persist()
      }
      // Objects that were applied as manifests until now become those of the release.
      const takesOver = recorded === undefined && managed.length > 0
      const called = takesOver ? { ...config, install: { ...config.install, takeOwnership: true } } : config
      managed = await inRun(context, settings, access, async (helm) => {
        const chart = await chartFor(context, settings, helm, config)
        return installRelease(helm, chart, called, access.client, signal)
      })
    }
    const own = { release: { name, namespace, run } }
    writeStatus(context, kind.apiVersion, { ...status, managed }, own)
    const installation = { client: access.client, kind, configuration: config, defaultNamespace: namespace }
    return finish(context, installation, { rendered: scope, values: undefined }, { ...status, managed }, undefined, own)
  }

  function remove(
    context: DeployContext,
    access: TargetAccess,
    recorded: { readonly name: string; readonly namespace: string },
    timeout: string,
  ): Promise<void> {
    return inRun(context, settings, access, (helm) => uninstallRelease(helm, recorded, timeout, context.signal))
  }

  return defineDeployer({
    type: helmType,
    name: helmGroup,
    hooks: stockHooks(),
    reconcile(context) {
      const config = decodeHelm(context.config)
      return config.isRelease ? release(context, config) : apply(context, config)
    },
    async delete(context) {
      const recorded = recordedRelease(context.deployItem.status.providerStatus)
      const config = forDeletion(() => decodeHelm(context.config))
      if (recorded === undefined) return uninstall(context, () => installationFor(context, targets, kind, config))
      const access = await accessOf(context, targets, config.kubeconfig)
      const { uninstallTimeout = '5m' } = config as Partial<HelmConfiguration>
      await remove(context, access, recorded, uninstallTimeout)
      return undefined
    },
  })
}

/** Without access helm stays away from every cluster. */
async function inRun<T>(
  context: DeployContext,
  settings: HelmSettings,
  access: TargetAccess | undefined,
  work: (run: HelmRun) => Promise<T>,
): Promise<T> {
  const { namespace, name } = context.deployItem.metadata
  const registries = await registryConfiguration(context)
  const material = { runtime: context.runtime, settings, item: `deploy item "${namespace}/${name}"`, registries }
  return withHelm({ ...material, kubeconfig: access === undefined ? nowhere : access.kubeconfig }, work)
}

/** A kubeconfig that leads nowhere, so that helm does not look for another one. */
const nowhere = JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [], users: [], contexts: [] })

function chartFor(context: DeployContext, settings: HelmSettings, run: HelmRun, { chart }: HelmConfiguration) {
  const repositoryCredentials = context.lsContext.configurations?.['helmChartRepoCredentials']
  return chartArguments(chart, {
    run,
    files: context.runtime.files,
    settings,
    repositoryCredentials,
    signal: context.signal,
  })
}
