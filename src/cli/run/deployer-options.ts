/** Flags of `carabiner run` about deployers, apart from the deployers themselves, which are loaded only when somebody asks for them. */
import { type Command, Option } from 'commander'
import { stockNames } from '../../deployers/stock/names.ts'

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
    .option('--deployers-config <file>', 'YAML file with deployers, their selectors and hooks, and timeouts')
}
