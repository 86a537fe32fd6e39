/** Installs, upgrades and removes the helm release of an item. */
import type { DeployContext, Outcome } from '../../library/deployer.ts'
import { runIdOf } from '../../library/run-id.ts'
import type { TargetAccess } from '../../targets/clients.ts'
import { finish } from '../installation/install.ts'
import { accessOf } from '../installation/prepare.ts'
import { readStatus, writeStatus } from '../installation/status.ts'
import { chartFor, type HelmDependencies, helmKind, withItemHelm } from './calls.ts'
import type { HelmConfiguration } from './configuration.ts'
import type { HelmSettings } from './program.ts'
import { installRelease, type ReleaseRecord, recordedRelease, uninstallRelease } from './release.ts'

export async function reconcileRelease(
  { targets, settings }: HelmDependencies,
  context: DeployContext,
  config: HelmConfiguration,
): Promise<Outcome | undefined> {
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
      if (recorded !== undefined) await removeRelease({ settings, access }, context, recorded, config.uninstallTimeout)
      // Record the release before helm is called: a crash must not leave an unknown release behind.
      writeStatus(context, helmKind.apiVersion, status, { release: { name, namespace } })
      await context.persist()
    }
    // The release adopts objects that were applied like manifests until now.
    const adoptsObjects = recorded === undefined && managed.length > 0
    const called = adoptsObjects ? { ...config, install: { ...config.install, takeOwnership: true } } : config
    managed = await withItemHelm(context, settings, access, async (helm) => {
      const chart = await chartFor(context, settings, helm, config)
      return installRelease(helm, chart, called, { client: access.client, signal })
    })
  }
  const own = { release: { name, namespace, run } }
  writeStatus(context, helmKind.apiVersion, { ...status, managed }, own)
  const installation = { client: access.client, kind: helmKind, configuration: config, defaultNamespace: namespace }
  const contents = { rendered: scope, values: undefined }
  return finish(context, installation, contents, { status: { ...status, managed }, own })
}

export function removeRelease(
  { settings, access }: { readonly settings: HelmSettings; readonly access: TargetAccess },
  context: DeployContext,
  recorded: ReleaseRecord,
  timeout: string,
): Promise<void> {
  return withItemHelm(context, settings, access, (helm) => uninstallRelease(helm, recorded, timeout, context.signal))
}
