/** `carabiner item explain`: which deployer is responsible for an item and why, what comes next, and the latest runs of its hooks. */
import { Command, Option } from 'commander'
import type { DeployItem, Target } from '../../deployers/index.ts'
import type { RunRecord } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { summaryOf } from '../runs/summary.ts'
import { outputOption, readFormat, serialize } from '../terminal/listing.ts'
import { printable } from '../terminal/printable.ts'
import { legible } from '../terminal/symbols.ts'
import { type JudgedDeployer, judge } from './explanation/deployers.ts'
import { type Known, type KnownOptions, knownBy } from './explanation/known.ts'
import { nextSteps } from './explanation/next.ts'
import { runsOfItem } from './explanation/runs.ts'
import { findItem, findTarget, itemHelp, itemName, phaseOf } from './items.ts'

interface ExplainOptions extends PlaceOptions, KnownOptions {
  readonly output?: string
}

export interface Explanation {
  readonly item: string
  readonly type: string
  readonly target: string
  readonly phase: string
  readonly deployers: readonly JudgedDeployer[]
  readonly next: readonly string[]
  /** The latest runs of its hooks, oldest first. */
  readonly runs?: readonly RunRecord[]
}

const shownRuns = 5

export function explainCommand(context: CliContext): Command {
  const explain = new Command('explain')
    .summary('Explain which deployer is responsible for an item, and what comes next')
    .description(
      'Shows which deployer is responsible for a deploy item and why, which selector matched, what the contract will do next, and the latest runs of its hooks.',
    )
    .argument('<item>', itemHelp)
    .option(
      '--deployers-config <file>',
      'the configuration file of the operator (default: every stock deployer, no selectors)',
    )
    .addOption(
      new Option(
        '--operator <url>',
        'ask a running operator on this machine which deployers it has, for example http://127.0.0.1:9115; `deployer run` prints its address',
      ).conflicts(['deployersConfig', 'deployer']),
    )
    .addOption(
      new Option('--deployer <file>', 'your own deployers, as for `deployer run`').conflicts('deployersConfig'),
    )
    .addOption(outputOption())
  return placeOptions(explain).action(async (name: string, options: ExplainOptions) => {
    const format = readFormat(options.output)
    await inCluster(context, options, async (place) => {
      const item = await findItem(place, name)
      const known = await knownBy(context, options, place)
      const now = context.runtime.clock.now()
      const runs = (await runsOfItem(context, place, item, options)).slice(-shownRuns)
      const explanation = { ...explainItem(item, await findTarget(place, item), known, now), runs }
      if (format === 'json' || format === 'yaml') context.stdout.write(serialize(explanation, format))
      else
        context.stdout.write(
          format === 'name'
            ? `${itemName(item)}\n`
            : legible(printable(explanationText(explanation, now)), context.stdout),
        )
    })
  })
}

export function explainItem(item: DeployItem, target: Target | undefined, known: Known, now: Instant): Explanation {
  const deployers = known.deployers.map((deployer) => judge(deployer, item, target))
  const isTargetMissing = item.spec.target !== undefined && target === undefined
  return {
    item: `${item.metadata.namespace}/${item.metadata.name}`,
    type: item.spec.type,
    target: item.spec.target === undefined ? 'none' : `${item.spec.target.name}${isTargetMissing ? ' (missing)' : ''}`,
    phase: phaseOf(item),
    deployers,
    next: nextSteps({
      item,
      isTargetMissing,
      responsible: deployers.filter(({ isResponsible }) => isResponsible).length,
      known,
      now,
    }),
  }
}

export function explanationText(explanation: Explanation, now = 0): string {
  const { item, type, target, phase, deployers, next, runs = [] } = explanation
  const judged = deployers.flatMap(({ deployer, isResponsible, why, selectors }) => [
    `${isResponsible ? '✓' : '✗'} ${deployer}: ${why}`,
    ...selectors.map(({ selector, matches }) => `    ${matches ? 'matches' : 'no match'}: ${selector}`),
  ])
  return [
    `item      ${item}`,
    `type      ${type}`,
    `target    ${target}`,
    `phase     ${phase}`,
    '',
    'Who is responsible:',
    ...judged.map((line) => `  ${line}`),
    '',
    'What comes next:',
    ...next.map((line) => `  ${line}`),
    '',
    ...(runs.length === 0 ? [] : ['Runs of its hooks:', ...runs.map((run) => `  ${summaryOf(run, now)}`), '']),
  ].join('\n')
}
