/** `carabiner hook list`: the bindings of the hooks in a folder or in a running operator. */
import { Command } from 'commander'
import { type ShownBinding, type ShownHook, showHook } from '../../addons/scripts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { askSocket, type SocketOptions, socketOption } from '../socket.ts'
import type { Display } from '../terminal/display.ts'
import { type Format, type Listing, list, outputOption, readFormat, serialize } from '../terminal/listing.ts'
import { paint } from '../terminal/paint.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { inFolder } from './folder.ts'

interface ListOptions extends SocketOptions {
  readonly output?: string
}

/** A hook with its bindings, or with its problems. */
interface ListedHook extends ShownHook {
  readonly problems?: readonly string[]
}

interface Row extends Partial<ShownBinding> {
  readonly hook: string
}

const listing: Listing<Row> = {
  columns: [
    { head: 'hook', of: ({ hook }) => hook },
    { head: 'type', of: ({ type = '(disabled)' }) => type },
    { head: 'binding', of: ({ name = '' }) => name },
    { head: 'on', of: ({ on = '' }) => on },
    { head: 'queue', of: ({ queue = '' }) => queue },
    { head: 'details', of: ({ details = '' }) => details, wide: true },
  ],
  name: ({ hook }) => hook,
  none: 'There are no hooks.',
}

export function listCommand(context: CliContext): Command {
  const command = new Command('list')
    .description(
      'Lists the hooks in a folder, or those of a running operator, with their bindings. Exits with 1 when a hook of the folder cannot be used.',
    )
    .argument('[folder]', 'folder of hooks; each hook is run with --config')
    .addOption(outputOption())
    .action(async (folder: string | undefined, options: ListOptions) => {
      const format = readFormat(options.output)
      const hooks = folder === undefined ? await running(context, options) : await inside(context, folder)
      context.stdout.write(printed(hooks, format, context.stdout))
      const bad = hooks.filter(({ problems = [] }) => problems.length > 0)
      if (bad.length === 0) return
      context.exit(1)
      if (format !== 'json' && format !== 'yaml') context.stderr.write(problemReport(context, bad, hooks.length))
    })
  return socketOption(command)
}

async function running(context: CliContext, options: SocketOptions): Promise<readonly ListedHook[]> {
  const answer = await askSocket(context, options, '/hook/list.json').catch((error: unknown) => {
    if (!(error instanceof CarabinerError) || error.code !== 'CRB_OPERATOR_NOT_FOUND') throw error
    const remedy = `Pass a folder to list its hooks: ${context.programName} hook list FOLDER. For the hooks of an operator: ${error.remedy}`
    throw new CarabinerError(error.code, error.message, { cause: error.cause, remedy })
  })
  return JSON.parse(answer) as ListedHook[]
}

function inside({ runtime, signal }: CliContext, folder: string): Promise<readonly ListedHook[]> {
  return inFolder({ runtime, folder, signal }, async ({ hooks, invalid }) => [
    ...hooks.map(showHook),
    ...invalid.map(({ file, problems }) => ({ name: file.name, bindings: [], problems })),
  ])
}

function printed(hooks: readonly ListedHook[], format: Format, display: Display): string {
  if (format === 'json' || format === 'yaml') return serialize(hooks, format)
  const good = hooks.filter(({ problems = [] }) => problems.length === 0)
  if (format === 'name') return good.map(({ name }) => `${name}\n`).join('')
  const rows = good.flatMap(({ name, bindings }): readonly Row[] =>
    bindings.length === 0 ? [{ hook: name }] : bindings.map((binding) => ({ hook: name, ...binding })),
  )
  return rows.length === 0 && good.length < hooks.length ? '' : list(rows, format, listing, display)
}

function problemReport({ stderr }: CliContext, bad: readonly ListedHook[], all: number): string {
  const colour = paint(stderr)
  const lines = bad.flatMap(({ name, problems = [] }) =>
    problems.map((problem) => `  ${colour.bold(printableLine(name))}: ${printable(problem)}`),
  )
  return `\n${colour.red(`${bad.length} of ${all} hooks are invalid:`)}\n${lines.join('\n')}\n`
}
