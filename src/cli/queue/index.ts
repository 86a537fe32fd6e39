/** `carabiner queue`: the tasks in the queues of a running operator. */
import { Command, Option } from 'commander'
import { parseDuration } from '../../cron/index.ts'
import type { RunRecord } from '../../hooks/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { askMemory } from '../runs/memory.ts'
import { summaryOf } from '../runs/summary.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'
import { printable } from '../terminal/printable.ts'

interface QueueOptions extends SocketOptions {
  readonly output: string
  readonly watch?: boolean
  readonly watchInterval: string
  readonly showEmpty?: boolean
}

export function command(context: CliContext): Command {
  return new Command('queue')
    .description(
      'Lists the tasks in the queues of a running operator with script hooks, and the hooks whose last run failed.',
    )
    .addCommand(
      queueCommand(context, 'list', 'Lists all queues and their tasks, the head of each first.').option(
        '-e, --show-empty',
        'list queues without tasks as well',
      ),
    )
    .addCommand(queueCommand(context, 'main', 'Lists the tasks of the queue "main".'))
}

function queueCommand(context: CliContext, name: string, description: string): Command {
  const one = new Command(name)
    .description(description)
    .addOption(formatOption())
    .option('-w, --watch', 'show the list again whenever it changes, until interrupted')
    .option('-t, --watch-interval <duration>', 'how often', '1s')
    // As shell-operator spells it.
    .addOption(new Option('--watchInterval <duration>').hideHelp())
    .action((options: QueueOptions) => show(context, name, options))
  return socketOption(one)
}

async function show(context: CliContext, name: string, options: QueueOptions): Promise<void> {
  const { runtime, stdout, signal } = context
  const interval = parseDuration(options.watchInterval)
  if (interval === undefined || interval <= 0)
    throw new CarabinerError('CRB_USAGE', `--watch-interval ${options.watchInterval}: expected a duration such as 2s`)
  const target = `/queue/${name}.${options.output}${options.showEmpty === true ? '?showEmpty=true' : ''}`
  let last = ''
  for (;;) {
    const listed = await askSocket(context, options, target).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (listed === undefined) return
    const isOnce = options.watch !== true
    const list = options.output === 'text' ? printable(listed) : listed
    const text = options.output === 'text' && isOnce ? `${list}${await failedHooks(context, options)}` : list
    // On a terminal the list is redrawn; elsewhere it is printed when it has changed.
    if (stdout.isTerminal && options.watch === true) stdout.write(`\u001b[H\u001b[2J${text}`)
    else if (text !== last) stdout.write(text)
    last = text
    if (options.watch !== true) return
    await runtime.clock.sleep(interval, signal).catch(() => undefined)
    if (signal.aborted) return
  }
}

/** The hooks whose last run failed: a queue waits behind them until their next attempt. */
async function failedHooks(context: CliContext, options: QueueOptions): Promise<string> {
  const last = new Map<string, RunRecord>()
  // An operator of an earlier version keeps no runs.
  for (const run of (await askMemory(context, options).catch(() => undefined)) ?? [])
    if (run.surface === 'addons' && run.outcome !== 'running') last.set(run.hook, run)
  const failed = [...last.values()].filter(({ outcome }) => outcome === 'failed')
  if (failed.length === 0) return ''
  const now = context.runtime.clock.now()
  return `\nHooks whose last run failed:\n${failed.map((run) => `  ${summaryOf(run, now)}\n`).join('')}`
}
