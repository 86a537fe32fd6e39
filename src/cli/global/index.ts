/** `carabiner global`: the values that all modules and global hooks of a running operator share. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

export function command(context: CliContext): Command {
  return new Command('global')
    .description('Shows the values that global hooks and all modules of a running operator share.')
    .addCommand(shownCommand(context, 'values', 'Shows what global hooks find in VALUES_PATH.'))
    .addCommand(shownCommand(context, 'config', 'Shows what the ConfigMap says for all.'))
    .addCommand(shownCommand(context, 'patches', 'Shows the changes of values by global hooks that are in force.'))
}

function shownCommand(context: CliContext, kind: 'values' | 'config' | 'patches', description: string): Command {
  const shown = new Command(kind)
    .description(description)
    .addOption(formatOption())
    .action(async (options: SocketOptions & { readonly output: string }) => {
      context.stdout.write(await askSocket(context, options, `/global/${kind}.${options.output}`))
    })
  return socketOption(shown)
}
