/** `carabiner item list`: every deploy item of a namespace, or of all. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { list, outputOption, readFormat } from '../terminal/listing.ts'
import { itemListing, listItems } from './items.ts'

interface ListOptions extends PlaceOptions {
  readonly allNamespaces?: boolean
  readonly output?: string
}

export function listCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('Lists deploy items.')
    .option('-A, --all-namespaces', 'of all namespaces')
    .addOption(outputOption())
  return placeOptions(command).action(async ({ allNamespaces = false, output, ...options }: ListOptions) => {
    const format = readFormat(output)
    await inCluster(context, options, async (place) => {
      const { namespace } = place
      const items = await listItems(place, allNamespaces ? {} : { namespace })
      const listing = itemListing(context.runtime.clock.now())
      const none = allNamespaces ? listing.none : `${listing.none} in namespace ${namespace}; -A lists all`
      context.stdout.write(
        list(items, allNamespaces && format === 'text' ? 'wide' : format, { ...listing, none }, context.stdout),
      )
    })
  })
}
