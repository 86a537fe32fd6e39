/** The manifest deployer: applies the objects that stand in the item. */
import { type Deployer, defineDeployer } from '../../library/deployer.ts'
import type { Targets } from '../../targets/clients.ts'
import { forDeletion } from '../configuration/compile.ts'
import { stockHooks } from '../hooks.ts'
import { install, type Kind, uninstall } from '../installation/install.ts'
import { installationFor } from '../installation/prepare.ts'
import { decodeManifest, manifestGroup } from './configuration.ts'

export const manifestType = 'landscaper.gardener.cloud/kubernetes-manifest'

const kind: Kind = { apiVersion: `${manifestGroup}/v1alpha2`, label: `${manifestGroup}/deployitem` }

export function manifestDeployer(targets: Targets): Deployer {
  return defineDeployer({
    type: manifestType,
    name: manifestGroup,
    hooks: stockHooks(),
    async reconcile(context) {
      const configuration = decodeManifest(context.config)
      const installation = await installationFor(context, targets, kind, configuration)
      return install(context, installation, { wanted: configuration.wanted, rendered: {}, values: undefined })
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
