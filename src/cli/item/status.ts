/** `carabiner item status`: the progress and the exports of an item; waits for its end on request. */
import { Command } from 'commander'
import { type DeployItem, pickupReason } from '../../deployers/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, type Outcome } from '../outcome.ts'
import { inCluster, type PlaceOptions, placeOptions, readTimeout } from '../place.ts'
import { type Format, outputOption, readFormat, serialize } from '../terminal/listing.ts'
import { printableLine } from '../terminal/printable.ts'
import { age } from '../terminal/span.ts'
import { findItem, itemHelp, itemName, outcomeOf, phaseOf } from './items.ts'
import { type Waited, waitForEnd } from './wait.ts'

export interface WaitOptions extends PlaceOptions {
  readonly wait?: boolean
  readonly timeout?: string
  readonly output?: string
}

export function waitOptions(command: Command): Command {
  command
    .option('--wait', 'wait for the end')
    .option('--timeout <duration>', 'wait for the end, but not longer, for example 5m')
    .addOption(outputOption())
  return placeOptions(command)
}

export function statusCommand(context: CliContext): Command {
  const status = new Command('status')
    .summary('Show the progress of an item, and wait for it')
    .description(
      'Shows the progress of a deploy item. Exits with 0 when it has succeeded, 1 when it has failed, 3 while it is under way.',
    )
    .argument('<item>', itemHelp)
  return waitOptions(status).action(async (name: string, options: WaitOptions) => {
    const format = readFormat(options.output)
    const limit = options.timeout === undefined ? undefined : readTimeout(options.timeout)
    await inCluster(context, options, async (place) => {
      const item = await findItem(place, name)
      const isWanted = options.wait === true || limit !== undefined
      const seen = isWanted ? await waitForEnd(context, place, item, limit) : { item, outcome: outcomeOf(item) }
      report(context, item, seen, format)
    })
  })
}

/** Prints the item and sets the exit code. */
export function report(context: CliContext, before: DeployItem, { item, outcome }: Waited, format: Format): void {
  context.exit(exitCodes[outcome])
  context.stdout.write(
    item === undefined
      ? `deploy item ${before.metadata.name} is gone\n`
      : shown(item, outcome, { format, now: context.runtime.clock.now() }),
  )
  if (item !== undefined && (format === 'text' || format === 'wide') && isLeft(item)) {
    const { name, namespace } = item.metadata
    context.stderr.write(`\nWhy no deployer picks it up: ${context.programName} item explain ${name} -n ${namespace}\n`)
  }
}

/** No deployer has picked it up yet, or none did in time. */
function isLeft({ status }: DeployItem): boolean {
  return status?.phase === undefined || status.lastError?.reason === pickupReason
}

interface Wanted {
  readonly format: Format
  readonly now: number
}

function shown(item: DeployItem, outcome: Outcome, { format, now }: Wanted): string {
  if (format === 'json' || format === 'yaml') return serialize({ ...item, outcome }, format)
  return format === 'name' ? `${itemName(item)}\n` : statusText(item, now)
}

export function statusText(item: DeployItem, now: number): string {
  const { metadata, spec, status = {} } = item
  const { lastError, exportRef, deployer } = status
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['item', `${metadata.namespace}/${metadata.name}`],
    ['type', spec.type],
    ['target', spec.target?.name],
    ['phase', phaseOf(item)],
    ['deployer', deployer && `${deployer.identity} (${deployer.name} ${deployer.version})`],
    ['last run', status.lastReconcileTime && `${age(now - Date.parse(status.lastReconcileTime))} ago`],
    ['exports', exportRef && `secret/${exportRef.name}`],
    ['failed at', lastError && `${lastError.operation}, ${age(now - Date.parse(lastError.lastTransitionTime))} ago`],
    ['reason', lastError && [lastError.reason, ...(lastError.codes ?? [])].join(' ')],
    ['message', lastError?.message],
  ]
  return facts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(9)}  ${printableLine(value ?? '')}\n`)
    .join('')
}
