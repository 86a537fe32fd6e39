/** `carabiner runs show`: everything that is recorded of one run. */
import { Command } from 'commander'
import { keyOfAttempt, shortKey, traceIdOf } from '../../hooks/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { socketOption } from '../socket.ts'
import { readTextFormat, serialize } from '../terminal/listing.ts'
import { paint } from '../terminal/paint.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { legible } from '../terminal/symbols.ts'
import { collectRuns, findRun, type ListedRun } from './collect.ts'
import { took } from './listing.ts'
import type { MemoryOptions } from './memory.ts'

interface ShowOptions extends PlaceOptions, MemoryOptions {
  readonly output?: string
}

export function showCommand(context: CliContext): Command {
  const show = new Command('show')
    .summary('Show cause, attempts, outcome, log and trace of one run')
    .description(
      'Shows everything that is recorded of one run: its cause, its attempts, how it ended, the end of its log, and the id of its trace.',
    )
    .argument('<key>', 'key of the run, its short form, the start of either, or the name of its Job or pod')
    .option('-o, --output <format>', 'json or yaml')
  return placeOptions(socketOption(operatorOption(show))).action(async (meant: string, _, self: Command) => {
    // `runs` has the same options, and takes those that stand behind `show` for its own.
    const options = self.optsWithGlobals<ShowOptions>()
    const format = readTextFormat(options.output)
    await inCluster(context, options, async ({ client }) => {
      // A key is unique in the cluster; only a namespace that was asked for narrows the search down.
      const place = { client, namespace: options.namespace, withLogs: true } as const
      const runs = await collectRuns(context, place, options)
      const run = findRun(runs, meant, shortKey)
      const text = format === 'text' ? shownRun(context, run, attemptsOf(runs, run)) : serialize(run, format)
      context.stdout.write(text)
    })
  })
}

export function operatorOption(command: Command): Command {
  return command.option(
    '--operator <url>',
    'an operator on this machine whose memory is listed as well, for example http://127.0.0.1:9115',
  )
}

function attemptsOf(runs: readonly ListedRun[], { key }: ListedRun): readonly ListedRun[] {
  return runs
    .filter((run) => keyOfAttempt(run.key, 0) === keyOfAttempt(key, 0))
    .toSorted((a, b) => a.attempt - b.attempt)
}

const colours = { succeeded: 'green', failed: 'red', cancelled: 'yellow', running: 'cyan' } as const

export function shownRun(
  { stdout }: Pick<CliContext, 'stdout'>,
  run: ListedRun,
  attempts: readonly ListedRun[],
): string {
  const colour = paint(stdout)
  const { key, surface, subject, hook, point, action, cause, revision, outcome, message, log, startedAt, endedAt } = run
  const namespace = subject.namespace === '' ? '' : `${subject.namespace}/`
  const duration = took(run)
  const number = revision?.number === undefined ? '' : ` (${revision.number})`
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['run', key],
    ['short', shortKey(key)],
    ['surface', surface],
    ['subject', `${subject.kind} ${namespace}${subject.name}`],
    ['hook', `${hook} at ${point}${action === undefined ? '' : ` (${action})`}`],
    ['revision', revision && `${revision.name}${number}`],
    ['cause', cause],
    [
      'attempt',
      attempts.length > 1 ? `${run.attempt} (kept: ${attempts.map(attemptText).join(', ')})` : `${run.attempt}`,
    ],
    ['started', startedAt],
    ['ended', endedAt],
    ['message', message],
    ['trace', run.traceId ?? `${traceIdOf(key)} (if the operator exported traces)`],
    [
      'kept in',
      run.keptIn === 'both'
        ? 'the journal and the operator’s memory'
        : run.keptIn === 'journal'
          ? 'the journal'
          : 'the operator’s memory',
    ],
  ]
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(9)} ${printableLine(value)}`],
  )
  const end = `${'outcome'.padEnd(9)} ${colour[colours[outcome]](outcome)}${duration === '' ? '' : ` after ${duration}`}`
  lines.splice(lines.length - 2 - (message === undefined ? 0 : 1), 0, end)
  const said = log === undefined || log === '' ? colour.dim('  (no output is kept)') : indented(printable(log))
  return `${legible(lines.join('\n'), stdout)}\n\nlog:\n${said}\n`
}

function attemptText({ attempt, outcome }: ListedRun): string {
  return `${attempt} ${outcome}`
}

function indented(text: string): string {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
