/** `carabiner deployer`: deployers of the user's own, from the first line to a cluster. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { newCommand } from './new.ts'
import { runCommand } from './run.ts'
import { testCommand } from './test.ts'

export function command(context: CliContext): Command {
  return new Command('deployer')
    .description('Deployers of your own')
    .addCommand(newCommand(context))
    .addCommand(testCommand(context))
    .addCommand(runCommand(context))
}
