/** `carabiner migrate`: turns what other systems understood into what this one does, and says what could not be carried over. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { deploymentConfigCommand } from './deploymentconfig/index.ts'

export function command(context: CliContext): Command {
  return new Command('migrate')
    .description('Turns objects of other systems into workloads and policies of this one')
    .addCommand(deploymentConfigCommand(context))
}
