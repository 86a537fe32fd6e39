/** The deployers that come with the product, each with the hook that keeps items as they should be. */
import type { Deployer } from '../library/deployer.ts'
import type { Targets } from '../targets/clients.ts'
import type { ContainerSettings } from './container/configuration.ts'
import { containerDeployer } from './container/deployer.ts'
import { helmDeployer } from './helm/deployer.ts'
import type { HelmSettings } from './helm/program.ts'
import { manifestDeployer } from './manifest/deployer.ts'
import { mockDeployer } from './mock/deployer.ts'

export interface StockSettings {
  readonly helm?: HelmSettings
  readonly container?: ContainerSettings
}

/** What they are called in settings. */
export const stockNames = ['manifest', 'helm', 'container', 'mock'] as const

export function stockDeployers(targets: Targets, settings: StockSettings = {}): readonly Deployer[] {
  return [
    manifestDeployer(targets),
    helmDeployer(targets, settings.helm),
    containerDeployer(settings.container),
    mockDeployer(),
  ]
}
