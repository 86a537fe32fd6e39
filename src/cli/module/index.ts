/** `carabiner module`: which modules a running operator has, and the values of one. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

interface ModuleOptions extends SocketOptions {
  readonly output: string
}

export function command(context: CliContext): Command {
  return new Command('module')
    .description('Shows the modules of a running operator, and what they are made with.')
    .addCommand(listCommand(context))
    .addCommand(
      valuesCommand(context, 'values', 'Shows what hooks of a module find in VALUES_PATH and its chart as values.'),
    )
    .addCommand(valuesCommand(context, 'config', 'Shows what the ConfigMap says for a module and for all.'))
}

function listCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('Lists modules in the order of their runs: which are on, and what switched them.')
    .addOption(formatOption())
    .action(async (options: ModuleOptions) => {
      context.stdout.write(await askSocket(context, options, `/module/list.${options.output}`))
    })
  return socketOption(list)
}

function valuesCommand(context: CliContext, kind: 'values' | 'config', description: string): Command {
  const values = new Command(kind)
    .description(description)
    .argument('<module>', 'name of the module, as `module list` shows it')
    .addOption(formatOption())
    .action(async (name: string, options: ModuleOptions) => {
      const target = `/module/${encodeURIComponent(name)}/${kind}.${options.output}`
      context.stdout.write(await askSocket(context, options, target))
    })
  return socketOption(values)
}
