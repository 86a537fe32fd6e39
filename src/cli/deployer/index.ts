/** `carabiner deployer`: creates, tests and runs deployers that users write. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { newCommand } from './new.ts'
import { runCommand } from './run.ts'
import { testCommand } from './test.ts'

export function command(context: CliContext): Command {
  return new Command('deployer')
    .description('Your own deployers')
    .addCommand(newCommand(context))
    .addCommand(testCommand(context))
    .addCommand(runCommand(context))
}
