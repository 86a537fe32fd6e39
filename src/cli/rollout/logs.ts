/** `carabiner rollout logs`: the output of hooks, from the journal when they have ended and from their pods while they run. */
import { Command } from 'commander'
import { isWanted, type JournalEntry, type JournalQuery, readJournal } from '../../hooks/index.ts'
import { compilePolicy, pageOf, type RolloutPolicy } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../outcome.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { type Format, type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { paint } from '../terminal/paint.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { say } from '../terminal/say.ts'
import { age, span } from '../terminal/span.ts'
import { findOnly, referenceHelp } from './policies.ts'
import { streamHooks } from './stream.ts'

interface LogsOptions extends PlaceOptions {
  readonly hook?: string
  readonly revision?: string
  readonly all?: boolean
  readonly follow?: boolean
  readonly output?: string
}

const journalListing = (now: number): Listing<JournalEntry> => ({
  columns: [
    { head: 'ended', of: ({ endedAt }) => `${age(now - Date.parse(endedAt))} ago` },
    { head: 'revision', of: ({ revision, lifecycle }) => revision?.name ?? lifecycle },
    { head: 'number', of: ({ revision }) => String(revision?.number ?? ''), wide: true },
    { head: 'rollout', of: ({ lifecycle }) => lifecycle, wide: true },
    { head: 'point', of: ({ point }) => point },
    { head: 'hook', of: ({ hook }) => hook },
    { head: 'attempt', of: ({ attempt }) => String(attempt) },
    { head: 'outcome', of: ({ outcome }) => outcome },
    { head: 'time', of: ({ endedAt }) => endedAt, wide: true },
    { head: 'message', of: ({ message = '' }) => message, shrinks: 'below' },
  ],
  name: ({ hook }) => hook,
  none: 'the journal has no run of a hook yet',
})

export function logsCommand(context: CliContext): Command {
  const logs = new Command('logs')
    .summary('Read the output of hooks, also after their pods are deleted')
    .description(
      'Shows the output of the hooks of the last rollout. Ended hooks are read from the journal, which is kept when their pods are deleted; running hooks from their pods. `carabiner runs show` has everything that is recorded of one run.',
    )
    .argument('[policy]', `${referenceHelp}; not needed when there is only one`)
    .option('--hook <name>', 'only this hook')
    .option('--revision <revision>', 'of this revision: its number, its name, or the id of the rollout')
    .option('--all', 'of every rollout that is kept')
    .option('-f, --follow', 'go on with the output of hooks until the rollout ends')
    .addOption(outputOption())
  return placeOptions(logs).action(async (reference: string | undefined, options: LogsOptions) => {
    const format = readFormat(options.output)
    if (options.follow === true && format !== 'text')
      throw new CarabinerError('CRB_USAGE', '-f shows lines as they come: it cannot be combined with -o')
    await inCluster(context, options, async (place) =>
      showLogs(context, place, await findOnly(place, reference), { ...options, format }),
    )
  })
}

export async function showLogs(
  context: CliContext,
  place: Place,
  policy: RolloutPolicy,
  options: Omit<LogsOptions, 'output'> & { readonly format: Format },
): Promise<void> {
  const { format } = options
  const now = context.runtime.clock.now()
  const last = policy.status?.rollout?.id
  const kept = await readJournal(place.client, pageOf(policy))
  const query = queryOf(policy, options)
  const entries = kept.filter((entry) => isWanted(entry, query))
  if (entries.length === 0) refuseUnknown(policy, kept, options)
  context.stdout.write(
    format === 'text'
      ? entries.map((entry) => entryText(context, entry, now)).join('')
      : list(entries, format, journalListing(now), context.stdout),
  )
  if (format !== 'text') return
  if (!isLastWanted(policy, options)) {
    if (entries.length === 0) explainEmpty(context, policy, options)
    return
  }
  const follow = options.follow === true
  // Attempts of other rollouts have the same numbers.
  const journaled = new Set(entries.filter(({ lifecycle }) => lifecycle === last).map(keyOf))
  const outcome = await streamHooks(context, place, policy, {
    follow,
    isWanted: (hook, attempt) =>
      (options.hook === undefined || options.hook === hook) && !journaled.has(keyOf({ hook, attempt })),
  })
  if (follow) context.exit(exitCodes[outcome])
  else if (entries.length === 0) explainEmpty(context, policy, options)
}

/** Only the hooks of the last rollout can still run. */
function isLastWanted({ status }: RolloutPolicy, { revision }: LogsOptions): boolean {
  return [undefined, status?.rollout?.id, status?.rollout?.to].includes(revision)
}

function queryOf({ status }: RolloutPolicy, { hook, revision, all }: LogsOptions): JournalQuery {
  const last = status?.rollout?.id
  return {
    ...(hook === undefined ? {} : { hook }),
    ...(revision === undefined ? {} : { revision }),
    ...(revision !== undefined || all === true || last === undefined ? {} : { lifecycle: last }),
  }
}

function keyOf({ hook, attempt }: Pick<JournalEntry, 'hook' | 'attempt'>): string {
  return `${hook}/${attempt}`
}

const colours = { succeeded: 'green', failed: 'red', cancelled: 'yellow' } as const

export function entryText({ stdout }: Pick<CliContext, 'stdout'>, entry: JournalEntry, now: number): string {
  const colour = paint(stdout)
  const { hook, point, attempt, outcome, startedAt, endedAt, revision, message, log } = entry
  const took = startedAt === undefined ? '' : ` after ${span(Date.parse(endedAt) - Date.parse(startedAt))}`
  const of = revision === undefined ? '' : `, revision ${revision.number ?? revision.name}`
  const again = attempt > 1 ? `, attempt ${attempt}` : ''
  const about = printableLine(`--> ${hook} at ${point}${again}${of}`)
  const head = colour.bold(
    `${about}: ${colour[colours[outcome]](outcome)} ${age(now - Date.parse(endedAt))} ago${took}`,
  )
  // HTTP requests and approvals have no log, only a message.
  const output = log === undefined ? (message === undefined ? colour.dim('    (no output)\n') : '') : printable(log)
  const why = message === undefined ? '' : `    ${printable(message)}\n`
  return `${head}\n${why}${output === '' || output.endsWith('\n') ? output : `${output}\n`}`
}

/** An unknown name is an error; a known hook or revision without output is not. */
function refuseUnknown(
  { metadata, spec, status }: RolloutPolicy,
  kept: readonly JournalEntry[],
  { hook, revision }: LogsOptions,
): void {
  const compiled = compilePolicy(spec)
  const hooks = 'problems' in compiled ? [] : compiled.hooks.map(({ name }) => name)
  const isHook = hooks.length === 0 || [...hooks, ...kept.map((entry) => entry.hook)].includes(hook ?? '')
  if (hook !== undefined && !isHook)
    throw new CarabinerError('CRB_USAGE', `${metadata.name} has no hook ${hook}; it has ${hooks.join(', ')}`)
  const rollouts = [...(status?.rollout === undefined ? [] : [status.rollout]), ...(status?.history ?? [])]
  const isRevision =
    rollouts.some(({ id, to }) => id === revision || to === revision) ||
    kept.some((entry) => isWanted(entry, { revision: revision ?? '' }))
  if (revision === undefined || isRevision) return
  const remedy = `Those that are known: carabiner rollout logs -n ${metadata.namespace} ${metadata.name} --all -o wide`
  throw new CarabinerError('CRB_USAGE', `no run of a hook is known for revision ${revision} of ${metadata.name}`, {
    remedy,
  })
}

/** Says why there is no output. */
function explainEmpty({ stderr }: CliContext, policy: RolloutPolicy, options: LogsOptions): void {
  const { hook, revision, all } = options
  const { status, metadata } = policy
  const which = hook === undefined ? 'no hook' : `hook ${hook}`
  const not = hook === undefined ? '' : ' not'
  if (!isLastWanted(policy, options))
    say(stderr, `${which} of ${metadata.name} has${not} ended in revision ${revision}\n`)
  else if (status?.rollout === undefined) say(stderr, `${metadata.name} has had no rollout yet\n`)
  else if (!status.rollout.hooks.some(({ name, attempts }) => attempts > 0 && (hook === undefined || hook === name))) {
    const where = all === true ? 'any rollout that is kept' : 'its last rollout; --all shows those before'
    say(stderr, `${which} of ${metadata.name} has${not} ended in ${where}\n`)
  }
}
