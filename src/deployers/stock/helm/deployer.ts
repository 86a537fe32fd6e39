/**
 * The helm deployer. By default it installs a helm release; with `helmDeployment: false` helm only renders, and the objects are applied
 * and deleted like those of the manifest deployer.
 */
import { type Deployer, defineDeployer } from '../../library/deployer.ts'
import type { Targets } from '../../targets/clients.ts'
import { forDeletion } from '../configuration/compile.ts'
import { stockHooks } from '../hooks.ts'
import { uninstall } from '../installation/install.ts'
import { accessOf, installationFor } from '../installation/prepare.ts'
import { applyRendered } from './apply-rendered.ts'
import { helmKind } from './calls.ts'
import { decodeHelm, type HelmConfiguration, helmGroup } from './configuration.ts'
import type { HelmSettings } from './program.ts'
import { reconcileRelease, removeRelease } from './reconcile-release.ts'
import { recordedRelease } from './release.ts'
import { RenderCache } from './render-cache.ts'

export const helmType = 'landscaper.gardener.cloud/helm'

export function helmDeployer(targets: Targets, settings: HelmSettings = {}): Deployer {
  const renderings = new RenderCache()
  const dependencies = { targets, settings }
  return defineDeployer({
    type: helmType,
    name: helmGroup,
    hooks: stockHooks(),
    reconcile(context) {
      const config = decodeHelm(context.config)
      return config.isRelease
        ? reconcileRelease(dependencies, context, config)
        : applyRendered(dependencies, renderings, context, config)
    },
    async delete(context) {
      renderings.delete(context.deployItem.metadata.uid ?? '')
      const recorded = recordedRelease(context.deployItem.status.providerStatus)
      const config = forDeletion(() => decodeHelm(context.config))
      if (recorded === undefined) return uninstall(context, () => installationFor(context, targets, helmKind, config))
      const access = await accessOf(context, targets, config.kubeconfig)
      const { uninstallTimeout = '5m' } = config as Partial<HelmConfiguration>
      await removeRelease({ settings, access }, context, recorded, uninstallTimeout)
      return undefined
    },
  })
}
