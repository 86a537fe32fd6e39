/** `carabiner hook`: script hooks of a running operator or in a folder. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { listCommand } from './list.ts'
import { newCommand } from './new/index.ts'
import { runCommand } from './run/index.ts'
import { snapshotCommand } from './snapshot.ts'
import { testCommand } from './test/index.ts'

export function command(context: CliContext): Command {
  return new Command('hook')
    .description('Script hooks')
    .addCommand(listCommand(context))
    .addCommand(runCommand(context))
    .addCommand(testCommand(context))
    .addCommand(newCommand(context))
    .addCommand(snapshotCommand(context))
}
