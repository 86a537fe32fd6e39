/** `carabiner config`: settings of a running operator that can be changed without a restart. */
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
    .argument('<value>', 'its new value')
    .argument('[duration]', 'falls back after this time (default: debug after 30m, others never)')
    .action(async (name: string, value: string, duration: string | undefined, options: SocketOptions) => {
      const form = { name, value, ...(duration === undefined ? {} : { duration }) }
      context.stdout.write(await askSocket(context, options, '/config/set', form))
    })
  return socketOption(set)
}
