/** `carabiner rollout simulate`: plays a rollout in virtual time with chosen faults, and shows what happened when. */
import { Command } from 'commander'
import { CarabinerError, largest, smallest } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { wholeNumber } from '../numbers.ts'
import { type PlaceOptions, placeOptions } from '../place.ts'
import { readTextFormat, serialize } from '../terminal/listing.ts'
import { paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { span } from '../terminal/span.ts'
import { legible } from '../terminal/symbols.ts'
import { table } from '../terminal/table.ts'
import { referenceHelp } from './policies.ts'
import { boundsOf } from './simulation/invariants.ts'
import { type SettingsOptions, type SimulationSettings, settingsOf } from './simulation/settings.ts'
import { type Played, playRollout } from './simulation/world.ts'
import { hookState } from './state.ts'
import { type Subject, subjectsOf } from './subjects.ts'
import { draw, legend, withEnd } from './timeline/draw.ts'

interface SimulateOptions extends PlaceOptions, SettingsOptions {
  readonly filename?: readonly string[]
  readonly output?: string
}

export function simulateCommand(context: CliContext): Command {
  const simulate = new Command('simulate')
    .summary('Play a rollout in virtual time and draw it')
    .description(
      'Plays a rollout in virtual time on a cluster of its own and draws what happened. Exits with 1 when something that must always hold did not.',
    )
    .argument('[policy]', referenceHelp)
    .option('-f, --filename <path...>', 'files or folders with policies and their workloads')
    .option('--fail <hook...>', 'hooks that fail')
    .option('--crash-after <number>', 'the operator dies after so many writes, and another one comes', wholeNumber(1))
    .option('--never-ready', 'new pods never become ready')
    .option('--scale <time=replicas...>', 'scale the workload at this time, for example 30s=6')
    .option(
      '--seed <number>',
      'another number, another run; the same number, the same run',
      wholeNumber(0, 999_999_999),
      1,
    )
    .option('-o, --output <format>', 'json or yaml')
  return placeOptions(simulate).action(async (reference: string | undefined, options: SimulateOptions) => {
    const format = readTextFormat(options.output)
    const settings = settingsOf(options)
    const { subjects, refuseOthers } = await subjectsOf(context, reference, options)
    refuseUnknown(subjects, settings)
    const all: object[] = []
    for (const subject of subjects) {
      const played = await playRollout(subject, settings)
      if (played.violations.length > 0) context.exit(1)
      if (format !== 'text') all.push({ ...titles(subject), seed: settings.seed, ...played })
      else context.stdout.write(legible(text(context, subject, settings, played), context.stdout))
    }
    if (format !== 'text') context.stdout.write(serialize(all, format))
    refuseOthers()
  })
}

function refuseUnknown(subjects: readonly Subject[], { fail }: SimulationSettings): void {
  const known = subjects.flatMap(({ compiled }) => compiled.hooks.map(({ name }) => name))
  const unknown = [...fail].find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new CarabinerError('CRB_USAGE', `--fail ${unknown}: there is no such hook; there are ${known.join(', ')}`)
}

function titles({ policy: { metadata, spec } }: Subject) {
  const { kind, name } = spec.targetRef
  return { policy: `${metadata.namespace ?? 'default'}/${metadata.name}`, target: `${kind} ${name}` }
}

function text({ stdout }: CliContext, subject: Subject, { seed }: SimulationSettings, played: Played): string {
  const colour = paint(stdout)
  const { rollout, samples, bars, length, message, writes, crashes, violations } = played
  const { policy, target } = titles(subject)
  const good = rollout?.phase === 'Complete' && !isWayBack(rollout)
  const outcome = good ? colour.green(outcomeOf(played)) : colour.red(outcomeOf(played))
  const head = `${colour.bold(target)}, policy ${policy}: ${outcome} after ${span(length)} of virtual time`
  const hooks = subject.compiled.hooks.map(({ name }) => name).filter((name) => isShown(played, name))
  const drawing = draw({ samples, bars, length: withEnd(length), hooks, columns: stdout.columns, colour })
  const deaths = crashes === 0 ? '' : `, ${crashes} death${crashes === 1 ? '' : 's'} of the operator`
  return [
    head,
    ...(good ? [] : [`  ${printableLine(message)}`]),
    '',
    ...drawing,
    '',
    legend(colour),
    '',
    table(['hook', 'point', 'attempt', 'state', 'started', 'took', 'message'], runRows(played), stdout),
    `${verdict(subject, played, colour)}; ${writes} writes${deaths}; number ${seed}`,
    ...violations.map((violation) => `  ${colour.red('✗')} ${violation}`),
    '',
    '',
  ].join('\n')
}

/** Every run, then what never ran. */
function runRows({ bars, rollout }: Played): readonly (readonly string[])[] {
  const records = rollout?.hooks ?? []
  const runs = bars.map(({ hook, point, attempt, state, from, to }) => {
    const record = records.find(({ name, attempts }) => name === hook && attempts === attempt)
    const took = to === undefined ? '' : span(to - from)
    return [hook, point, String(attempt), state, `after ${span(from)}`, took, record?.message ?? '']
  })
  const others = records.filter(({ attempts }) => attempts === 0)
  return [
    ...runs,
    ...others.map((hook) => [hook.name, hook.point, '', hookState(hook, { isOver: rollout?.endedAt !== undefined })]),
  ]
}

/** Hooks for other types of rollout have no row. */
function isShown({ rollout, bars }: Played, name: string): boolean {
  return bars.some(({ hook }) => hook === name) || (rollout?.hooks.some((hook) => hook.name === name) ?? false)
}

function outcomeOf({ rollout }: Played): string {
  if (rollout === undefined) return 'no rollout has begun'
  if (rollout.endedAt === undefined) return 'nothing moves any more'
  return isWayBack(rollout) ? `taken back, ${rollout.phase}` : rollout.phase
}

function isWayBack({ type }: NonNullable<Played['rollout']>): boolean {
  return type === 'ROLLBACK' || type === 'UNDO'
}

function verdict({ workload }: Subject, { samples, violations }: Played, colour: ReturnType<typeof paint>): string {
  if (violations.length > 0) return colour.red(`${violations.length} things did not hold that always must`)
  // The owner may scale meanwhile.
  const bounds = samples.map(({ replicas }) => boundsOf(workload, replicas))
  const most = largest(bounds.map((bound) => bound.most))
  const fewest = smallest(bounds.map((bound) => bound.fewest))
  const isScaled = new Set(samples.map(({ replicas }) => replicas)).size > 1
  const past = `no new pod past a point${isScaled ? ' but by scaling' : ''}`
  return `${colour.green('✓')} at all ${samples.length} moments: at most ${most} pods, at least ${fewest} ready, ${past}, no hook twice`
}
