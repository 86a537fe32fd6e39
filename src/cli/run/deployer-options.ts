/** Flags of `carabiner run` about deployers, apart from the deployers themselves, which are loaded only when somebody asks for them. */
import type { Command } from 'commander'

export interface DeployerOptions {
  readonly deployers?: string
  readonly deployersConfig?: string
}

export function deployerOptions(command: Command): void {
  command
    .option('--deployers <names>', 'run these stock deployers: manifest, helm, container, mock, separated by commas')
    .option('--deployers-config <file>', 'YAML file with deployers, their selectors and hooks, and timeouts')
}
