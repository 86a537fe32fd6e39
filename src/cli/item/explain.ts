/** `carabiner item explain`: who is responsible for an item and why, and what the contract will do next. */
import { Command } from 'commander'
import {
  type DeployersConfiguration,
  readConfiguration,
  surfaceOptions,
} from '../../deployers/configuration/configuration.ts'
import type { DeployItem, Target } from '../../deployers/resources/types.ts'
import { defaultTimeouts, type Timeouts } from '../../deployers/timeouts/decide.ts'
import { parseYaml } from '../../kube/manifest/index.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { Json } from '../../runtime/json.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { outputOption, readFormat, written } from '../terminal/listing.ts'
import { type JudgedDeployer, judge, type KnownDeployer } from './explanation/deployers.ts'
import { nextSteps } from './explanation/next.ts'
import { findItem, findTarget, itemHelp, itemListing, phaseOf } from './items.ts'

interface ExplainOptions extends PlaceOptions {
  readonly deployersConfig?: string
  readonly output?: string
}

/** The deployers that are said to run, and what holds for all of them. */
export interface Known {
  readonly deployers: readonly KnownDeployer[]
  readonly timeouts: Timeouts
  readonly deletionFirst: boolean
}

export interface Explanation {
  readonly item: string
  readonly type: string
  readonly target: string
  readonly phase: string
  readonly deployers: readonly JudgedDeployer[]
  readonly next: readonly string[]
}

/** Without a file: those that come with the program, for every target. */
const stock: DeployersConfiguration = {
  deployers: ['manifest', 'helm', 'container', 'mock'].map((name) => ({ name })),
}

export function explainCommand(context: CliContext): Command {
  const explain = new Command('explain')
    .summary('Say who is responsible for an item, why, and what comes next')
    .description(
      'Says which deployer is responsible for a deploy item and why, which selector matched, and what the contract will do next.',
    )
    .argument('<item>', itemHelp)
    .option(
      '--deployers-config <file>',
      'the file the operator runs with (default: every stock deployer, no selectors)',
    )
    .addOption(outputOption())
  return placeOptions(explain).action(async (name: string, options: ExplainOptions) => {
    const format = readFormat(options.output)
    const configuration = await readFile(context, options.deployersConfig)
    await inCluster(context, options, async (place) => {
      const item = await findItem(place, name)
      const known = knownFrom(configuration, context, place)
      const explanation = explainItem(item, await findTarget(place, item), known, context.runtime.clock.now())
      if (format === 'json' || format === 'yaml') context.stdout.write(written(explanation, format))
      else context.stdout.write(format === 'name' ? `${itemListing.name(item)}\n` : explanationText(explanation))
    })
  })
}

async function readFile({ runtime }: CliContext, path: string | undefined): Promise<DeployersConfiguration> {
  if (path === undefined) return stock
  return readConfiguration((parseYaml(await runtime.files.readText(path), path) ?? {}) as Json, path)
}

export function knownFrom(
  configuration: DeployersConfiguration,
  { runtime }: Pick<CliContext, 'runtime'>,
  { client }: Place,
): Known {
  const { deployers, timeouts, targetClients } = surfaceOptions(configuration)
  const running = deployers(runtime, targetClients(runtime), client)
  return {
    timeouts: { ...defaultTimeouts, ...timeouts },
    deletionFirst: running.some(({ options }) => options?.deletionFirst === true),
    deployers: running.map(({ deployer: { name, type }, options = {} }) => ({
      name,
      type,
      targetSelectors: options.targetSelectors ?? [],
      ...(options.identity === undefined ? {} : { identity: options.identity }),
    })),
  }
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
      deletionFirst: known.deletionFirst,
      timeouts: known.timeouts,
      now,
    }),
  }
}

export function explanationText({ item, type, target, phase, deployers, next }: Explanation): string {
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
  ].join('\n')
}
