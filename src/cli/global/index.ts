/** `carabiner global`: the values shared by all modules and global hooks of a running operator. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

export function command(context: CliContext): Command {
  return new Command('global')
    .description('Shows the values shared by global hooks and all modules of a running operator.')
    .addCommand(shownCommand(context, 'values', 'Shows the values that global hooks read from VALUES_PATH.'))
    .addCommand(shownCommand(context, 'config', 'Shows the global values of the ConfigMap.'))
    .addCommand(shownCommand(context, 'patches', 'Shows the values patches of global hooks that are in effect.'))
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
