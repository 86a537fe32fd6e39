/** `carabiner module`: the modules of a running operator and their values. */
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
  /** Absent until it is decided. */
  readonly enabled?: boolean
  /** The source of the decision. */
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
    .description('Shows the modules of a running operator and their values.')
    .addCommand(listCommand(context))
    .addCommand(
      shownCommand(
        context,
        'values',
        'Shows the values that hooks of a module read from VALUES_PATH and its chart receives.',
      ),
    )
    .addCommand(
      shownCommand(context, 'config', 'Shows the values of the ConfigMap for a module, with the global ones.'),
    )
    .addCommand(shownCommand(context, 'patches', 'Shows the values patches of hooks that are in effect for a module.'))
}

function listCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('Lists modules in the order in which they run, whether they are enabled, and why.')
    .addOption(outputOption())
    .action(async (options: SocketOptions & { readonly output?: string }) => {
      const format = readFormat(options.output)
      const modules = JSON.parse(await askSocket(context, options, '/module/list.json')) as readonly ListedModule[]
      context.stdout.write(list(modules, format, listing, context.stdout))
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
