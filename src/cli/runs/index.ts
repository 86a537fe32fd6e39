/** `carabiner runs`: the runs of hooks of all surfaces in one list. */
import { Command, Option } from 'commander'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { socketOption } from '../socket.ts'
import { outputOption, readFormat } from '../terminal/listing.ts'
import { collectRuns } from './collect.ts'
import { type FilterOptions, readFilter, surfaces } from './filter.ts'
import { followRuns } from './follow.ts'
import { listRuns } from './listing.ts'
import type { MemoryOptions } from './memory.ts'
import { operatorOption, showCommand } from './show.ts'

interface RunsOptions extends PlaceOptions, FilterOptions, MemoryOptions {
  readonly allNamespaces?: boolean
  readonly follow?: boolean
  readonly output?: string
}

export function command(context: CliContext): Command {
  const runs = new Command('runs')
    .description(
      'Lists the runs of hooks of all surfaces, the newest last: those of rollouts and deployers from the journal, those of script hooks and modules from the journal and from the memory of an operator whose debug socket is on this machine.',
    )
    .addOption(new Option('--surface <name>', 'only the runs of this surface').choices(surfaces))
    .option('--hook <name>', 'only the runs of this hook')
    .option('--subject <name>', 'only runs about this object: NAME, KIND/NAME or NAMESPACE/NAME')
    .option('--failed', 'only runs that failed')
    .option('--since <duration>', 'only runs that ended within this time, for example 10m, or are under way')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-f, --follow', 'go on with runs that start or end, until interrupted')
    .addOption(outputOption())
    .addCommand(showCommand(context))
    .addHelpText('after', examples)
  return placeOptions(socketOption(operatorOption(runs))).action(async (options: RunsOptions) => {
    const format = readFormat(options.output)
    const follow = options.follow === true
    if (follow && options.output !== undefined)
      throw new CarabinerError('CRB_USAGE', '-f prints lines as runs start and end: it cannot be combined with -o')
    const isWanted = readFilter(options, context.runtime.clock.now())
    await inCluster(context, options, async ({ client, namespace }) => {
      const isAll = options.allNamespaces === true
      const place = { client, namespace: isAll ? undefined : namespace, surface: options.surface }
      const found = (await collectRuns(context, place, options)).filter(isWanted)
      const table = {
        display: context.stdout,
        now: context.runtime.clock.now(),
        withNamespace: isAll,
        none: isAll ? 'no run is kept' : `no run is kept for namespace ${namespace}; -A lists all namespaces`,
      }
      context.stdout.write(listRuns(found, format, table))
      if (follow) await followRuns(context, place, options, { isWanted, shown: found })
    })
  })
}

const examples = `
The last column is the short form of a run's key. Every log line and every span
of the run has the key in its field \`run\`.

Examples:
  carabiner runs -A --failed --since 1h   what failed in the last hour
  carabiner runs -n shop --subject web    the hooks around rollouts of web
  carabiner runs --surface addons -f      script hooks and modules as they run
  carabiner runs show 3f2a9c1b7d-1        why one run happened, what it printed
`
