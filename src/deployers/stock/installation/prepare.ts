/** Connects an installation with its target, and with other Targets of the same namespace by name. */
import type { DeployContext, TargetRequest } from '../../library/deployer.ts'
import { landscaperResources, type Target } from '../../resources/types.ts'
import type { TargetAccess, Targets } from '../../targets/clients.ts'
import type { ApplyConfiguration } from '../configuration/compile.ts'
import type { Installation, InstallationKind } from './install.ts'

export function accessOf(
  context: DeployContext<unknown>,
  targets: Targets,
  kubeconfig: string | undefined,
  target: Target | undefined = context.target,
): Promise<TargetAccess> {
  const { deployItem, clients, runtime, signal } = context
  const { landscaper, host } = clients
  const request: TargetRequest = { target, kubeconfig, deployItem, landscaper, host, runtime, signal }
  return targets.access(request)
}

export async function installationFor(
  context: DeployContext<unknown>,
  targets: Targets,
  kind: InstallationKind,
  configuration: ApplyConfiguration,
): Promise<Installation> {
  const { client, namespace } = await accessOf(context, targets, configuration.kubeconfig)
  return {
    kind,
    client,
    defaultNamespace: namespace,
    configuration,
    clientOf: async (targetName) => {
      const { landscaper } = context.clients
      const { namespace: home = '' } = context.deployItem.metadata
      const target = await landscaper.of<Target>(landscaperResources.targets).get(targetName, { namespace: home })
      return (await accessOf(context, targets, undefined, target)).client
    },
  }
}
