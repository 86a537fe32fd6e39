/** `carabiner item logs`: the events of an item, and the logs of the pods that its deployer runs for it. */
import { Command } from 'commander'
import type { DeployItem } from '../../deployers/index.ts'
import { isNotFound } from '../../kube/index.ts'
import { type Event, resources } from '../../kube/kinds/index.ts'
import { isJsonObject, type Json } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { age } from '../terminal/span.ts'
import { findItem, itemHelp } from './items.ts'

interface LogsOptions extends PlaceOptions {
  readonly pods?: boolean
  readonly output?: string
}

const eventListing = (now: number): Listing<Event> => ({
  columns: [
    { head: 'age', of: (event) => age(now - Date.parse(timeOf(event))) },
    { head: 'time', of: (event) => timeOf(event), wide: true },
    { head: 'type', of: ({ type }) => type, wide: true },
    { head: 'reason', of: ({ reason }) => reason },
    { head: 'count', of: ({ series }) => String(series?.count ?? 1), wide: true },
    { head: 'note', of: ({ note }) => note, shrinks: 'below' },
  ],
  name: ({ reason }) => reason,
  none: 'no events: nothing failed lately, or the events have expired, by default after an hour',
})

export function logsCommand(context: CliContext): Command {
  const logs = new Command('logs')
    .summary('Read the events of an item and the logs of its pods')
    .description(
      'Shows the events of a deploy item, oldest first, and the logs of the pod that its deployer runs for it, as long as it is there.',
    )
    .argument('<item>', itemHelp)
    .option('--no-pods', 'events alone')
    .addOption(outputOption())
  return placeOptions(logs).action(async (name: string, options: LogsOptions) => {
    const format = readFormat(options.output)
    await inCluster(context, options, async (place) => {
      const item = await findItem(place, name)
      context.stdout.write(
        list(await eventsOf(place, item), format, eventListing(context.runtime.clock.now()), context.stdout),
      )
      const pod = podOf(item.status?.providerStatus)
      const isText = format === 'text' || format === 'wide'
      if (isText && pod !== undefined && options.pods !== false) await writePod(context, place, pod)
    })
  })
}

const timeOf = ({ eventTime, series }: Event): string => series?.lastObservedTime ?? eventTime

export async function eventsOf({ client, namespace }: Place, { metadata }: DeployItem): Promise<readonly Event[]> {
  const { items } = await client.of(resources.events).list({ namespace })
  return items
    .filter(({ regarding }) => regarding?.kind === 'DeployItem' && regarding.uid === metadata.uid)
    .toSorted((one, other) => Date.parse(timeOf(one)) - Date.parse(timeOf(other)))
}

/** The name of a container item's pod, from its provider status. */
export function podOf(status: Json | undefined): string | undefined {
  if (!isJsonObject(status)) return undefined
  const pod = status['podStatus']
  const name = isJsonObject(pod) ? pod['podName'] : undefined
  return typeof name === 'string' ? name : undefined
}

export async function writePod(
  { stdout, signal }: Pick<CliContext, 'stdout' | 'signal'>,
  { client, namespace }: Place,
  name: string,
): Promise<void> {
  stdout.write(`\n--> pod ${printableLine(name)}\n`)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of client.logs({ namespace, name }, { container: 'main', signal }))
      stdout.write(printable(decoder.decode(chunk, { stream: true })))
  } catch (error) {
    if (!isNotFound(error)) throw error
    stdout.write('(it is gone, or in another namespace)\n')
  }
}
