/** `carabiner module`: which modules a running operator has, and what one of them is made with. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'

interface ModuleOptions extends SocketOptions {
  readonly output: string
}

interface ListedModule {
  readonly name: string
  readonly order: number
  /** Absent before the first decision. */
  readonly enabled?: boolean
  /** What decided. */
  readonly by?: string
}

const listing: Listing<ListedModule> = {
  columns: [
    { head: 'module', of: ({ name }) => name },
    { head: 'order', of: ({ order }) => String(order) },
    { head: 'state', of: ({ enabled }) => (enabled === undefined ? 'not decided yet' : enabled ? 'on' : 'off') },
    { head: 'by', of: ({ by = '' }) => by },
  ],
  name: ({ name }) => name,
  none: 'There are no modules.',
}

export function command(context: CliContext): Command {
  return new Command('module')
    .description('Shows the modules of a running operator, and what they are made with.')
    .addCommand(listCommand(context))
    .addCommand(
      shownCommand(context, 'values', 'Shows what hooks of a module find in VALUES_PATH and its chart as values.'),
    )
    .addCommand(shownCommand(context, 'config', 'Shows what the ConfigMap says for a module and for all.'))
    .addCommand(
      shownCommand(context, 'patches', 'Shows the changes of values by hooks that are in force for a module.'),
    )
}

function listCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('Lists modules in the order of their runs: which are on, and what switched them.')
    .addOption(outputOption())
    .action(async (options: SocketOptions & { readonly output?: string }) => {
      const format = readFormat(options.output)
      const modules = JSON.parse(await askSocket(context, options, '/module/list.json')) as readonly ListedModule[]
      context.stdout.write(list(modules, format, listing))
    })
  return socketOption(command)
}

function shownCommand(context: CliContext, kind: 'values' | 'config' | 'patches', description: string): Command {
  const shown = new Command(kind)
    .description(description)
    .argument('<module>', 'name of the module, as `module list` shows it')
    .addOption(formatOption())
    .action(async (name: string, options: ModuleOptions) => {
      const target = `/module/${encodeURIComponent(name)}/${kind}.${options.output}`
      context.stdout.write(await askSocket(context, options, target))
    })
  return socketOption(shown)
}
