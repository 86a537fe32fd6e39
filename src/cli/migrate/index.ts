/** `carabiner migrate`: converts objects of other systems and lists what cannot be converted. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { deploymentConfigCommand } from './deploymentconfig/index.ts'

export function command(context: CliContext): Command {
  return new Command('migrate')
    .description('Converts objects of other systems to workloads and policies')
    .addCommand(deploymentConfigCommand(context))
}
