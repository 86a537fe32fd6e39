/** `carabiner item`: deploy items, their progress, and the operations of users on them. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { explainCommand } from './explain.ts'
import { listCommand } from './list.ts'
import { logsCommand } from './logs.ts'
import { operateCommand } from './operate.ts'
import { statusCommand } from './status.ts'

export function command(context: CliContext): Command {
  return new Command('item')
    .description('Deploy items: what to install on which target, and their progress')
    .addCommand(listCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(explainCommand(context))
    .addCommand(operateCommand(context, 'reconcile'))
    .addCommand(operateCommand(context, 'force'))
    .addCommand(operateCommand(context, 'abort'))
    .addCommand(logsCommand(context))
}
