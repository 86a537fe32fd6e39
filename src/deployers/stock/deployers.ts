/** The stock deployers, each with the hook for continuous reconciliation. */
import { CarabinerError } from '../../runtime/index.ts'
import type { Deployer } from '../library/deployer.ts'
import type { Targets } from '../targets/clients.ts'
import type { ContainerSettings } from './container/configuration.ts'
import { containerDeployer } from './container/deployer.ts'
import { helmDeployer } from './helm/deployer.ts'
import type { HelmSettings } from './helm/program.ts'
import { manifestDeployer } from './manifest/deployer.ts'
import { mockDeployer } from './mock/deployer.ts'
import { type StockName, stockNames } from './names.ts'

export interface StockSettings {
  readonly helm?: HelmSettings
  readonly container?: ContainerSettings
}

const factories: Readonly<Record<StockName, (targets: Targets, settings: StockSettings) => Deployer>> = {
  manifest: (targets) => manifestDeployer(targets),
  helm: (targets, { helm }) => helmDeployer(targets, helm),
  container: (_, { container }) => containerDeployer(container),
  mock: () => mockDeployer(),
}

export function stockDeployers(targets: Targets, settings: StockSettings = {}): readonly Deployer[] {
  return stockNames.map((name) => factories[name](targets, settings))
}

export function stockDeployer(name: string, targets: Targets, settings: StockSettings): Deployer {
  const known = stockNames.find((one) => one === name)
  if (known !== undefined) return factories[known](targets, settings)
  throw new CarabinerError('CRB_SETTING_INVALID', `unknown deployer "${name}"`, {
    remedy: `Choose from ${stockNames.join(', ')}.`,
  })
}
