/** The manifest deployer: applies the objects in the item's configuration. */
import { type Deployer, defineDeployer } from '../../library/deployer.ts'
import type { Targets } from '../../targets/clients.ts'
import { forDeletion } from '../configuration/compile.ts'
import { stockHooks } from '../hooks.ts'
import { type InstallationKind, install, uninstall } from '../installation/install.ts'
import { installationFor } from '../installation/prepare.ts'
import { decodeManifest, manifestGroup } from './configuration.ts'

export const manifestType = 'landscaper.gardener.cloud/kubernetes-manifest'

const kind: InstallationKind = { apiVersion: `${manifestGroup}/v1alpha2`, label: `${manifestGroup}/deployitem` }

export function manifestDeployer(targets: Targets): Deployer {
  return defineDeployer({
    type: manifestType,
    name: manifestGroup,
    hooks: stockHooks(),
    async reconcile(context) {
      const configuration = decodeManifest(context.config)
      const installation = await installationFor(context, targets, kind, configuration)
      return install(context, installation, { desired: configuration.desired, rendered: {}, values: undefined })
    },
    delete: (context) =>
      uninstall(context, () =>
        installationFor(
          context,
          targets,
          kind,
          forDeletion(() => decodeManifest(context.config)),
        ),
      ),
  })
}
