/** The deployer flags of `carabiner run`. In their own module, so that the deployers are loaded only when they are used. */
import { type Command, Option } from 'commander'
import { stockNames } from '../../deployers/index.ts'

export interface DeployerOptions {
  readonly deployers?: string
  readonly deployersConfig?: string
}

export function deployerOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--deployers <names>',
        `run these stock deployers: ${stockNames.join(', ')}, separated by commas`,
      ).conflicts('deployersConfig'),
    )
    .option('--deployers-config <file>', 'YAML file with deployers, their selectors, hooks and timeouts')
}
