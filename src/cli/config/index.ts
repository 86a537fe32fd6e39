/** `carabiner config`: changes settings of a running operator without a restart. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

export function command(context: CliContext): Command {
  return new Command('config')
    .description('Shows and changes settings of a running operator.')
    .addCommand(listCommand(context))
    .addCommand(setCommand(context))
}

function listCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('Lists the settings that can be changed.')
    .addOption(formatOption())
    .action(async (options: SocketOptions & { output: string }) => {
      context.stdout.write(await askSocket(context, options, `/config/list.${options.output}`))
    })
  return socketOption(list)
}

function setCommand(context: CliContext): Command {
  const set = new Command('set')
    .description('Changes a setting: log.level to debug, info, warn or error.')
    .argument('<name>', 'log.level')
    .argument('<value>', 'new value')
    .argument('[duration]', 'time after which the setting is reset (default: 30m for debug, never for others)')
    .action(async (name: string, value: string, duration: string | undefined, options: SocketOptions) => {
      const form = { name, value, ...(duration === undefined ? {} : { duration }) }
      context.stdout.write(await askSocket(context, options, '/config/set', form))
    })
  return socketOption(set)
}
