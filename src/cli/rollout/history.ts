/** `carabiner rollout history`: the rollouts that have ended, newest first, as far as the policy keeps them. */
import { Command } from 'commander'
import type { EndedRollout } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { span } from '../terminal/span.ts'
import { shownState } from './advice.ts'
import { findPolicy, referenceHelp } from './policies.ts'

export const historyListing: Listing<EndedRollout> = {
  columns: [
    { head: 'rollout', of: ({ id }) => id },
    { head: 'type', of: ({ type }) => type },
    { head: 'phase', of: ({ phase }) => phase },
    { head: 'from', of: ({ from = '' }) => from, wide: true },
    { head: 'to', of: ({ to }) => to },
    { head: 'started', of: ({ startedAt }) => startedAt },
    { head: 'took', of: ({ startedAt, endedAt }) => span(Date.parse(endedAt) - Date.parse(startedAt)) },
    { head: 'hooks', of: ({ hooks }) => hooks.map((hook) => `${hook.name}=${shownState(hook, true)}`).join(',') },
    { head: 'message', of: ({ message = '' }) => message, wide: true },
  ],
  name: ({ id }) => id,
  none: 'no rollout has ended yet',
}

export function historyCommand(context: CliContext): Command {
  const history = new Command('history')
    .summary('List ended rollouts')
    .description('Lists the rollouts that have ended, newest first.')
    .argument('<policy>', referenceHelp)
    .addOption(outputOption())
  return placeOptions(history).action(async (reference: string, options: PlaceOptions & { output?: string }) => {
    const format = readFormat(options.output)
    await inCluster(context, options, async (place) => {
      const { spec, status } = await findPolicy(place, reference)
      // With a limit of none it is not known whether there were any.
      const none = spec.historyLimit === 0 ? 'no rollout is kept: historyLimit is 0' : historyListing.none
      context.stdout.write(list(status?.history ?? [], format, { ...historyListing, none }, context.stdout))
    })
  })
}
