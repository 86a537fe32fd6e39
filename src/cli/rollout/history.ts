/** `carabiner rollout history`: the rollouts that have ended, newest first, as far as the policy keeps them. */
import { Command } from 'commander'
import type { EndedRollout } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { age, span } from '../terminal/span.ts'
import { imageChange } from './detail/images.ts'
import { type Revision, revisionsOf } from './detail/revisions.ts'
import { findPolicy, findTarget, referenceHelp } from './policies.ts'
import { hookState } from './state.ts'

interface History {
  readonly now: number
  /** Those that are still there: their images are shown. */
  readonly revisions: readonly Revision[]
}

export function historyListing({ now, revisions }: History): Listing<EndedRollout> {
  const templateOf = (name: string | undefined) => revisions.find((revision) => revision.name === name)?.template
  const change = ({ from, to }: EndedRollout) => {
    const template = templateOf(to)
    return template === undefined ? to : imageChange(templateOf(from), template)
  }
  return {
    columns: [
      { head: 'rollout', of: ({ id }) => id },
      { head: 'type', of: ({ type }) => type, wide: true },
      { head: 'state', of: ({ phase, type }) => (type === 'ROLLOUT' ? phase : `${phase} ${type}`) },
      { head: 'images', of: change },
      { head: 'from', of: ({ from = '' }) => from, wide: true },
      { head: 'to', of: ({ to }) => to, wide: true },
      { head: 'ended', of: ({ endedAt }) => `${age(now - Date.parse(endedAt))} ago` },
      { head: 'took', of: ({ startedAt, endedAt }) => span(Date.parse(endedAt) - Date.parse(startedAt)) },
      { head: 'started', of: ({ startedAt }) => startedAt, wide: true },
      { head: 'message', of: ({ message = '' }) => message, wide: true },
      { head: 'results', of: ({ hooks }) => hooks.map(resultOf).join(','), wide: true },
      { head: 'hooks', of: hooksText, shrinks: 'below' },
    ],
    name: ({ id }) => id,
    none: 'no rollout has ended yet',
  }
}

type EndedHook = EndedRollout['hooks'][number]

function resultOf(hook: EndedHook): string {
  return `${hook.name}=${hookState(hook, { isOver: true })}`
}

/** How many passed, and what became of the others that had their turn. */
function hooksText({ hooks }: EndedRollout): string {
  const passed = hooks.filter(({ state }) => state === 'Succeeded')
  const others = hooks
    .filter((hook) => !['Succeeded', 'NotRun'].includes(hookState(hook, { isOver: true })))
    .map(resultOf)
  return hooks.length === 0 ? '' : [`${passed.length}/${hooks.length} passed`, ...others].join(' ')
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
      const policy = await findPolicy(place, reference)
      const ended = policy.status?.history ?? []
      const revisions = format === 'text' || format === 'wide' ? await revisionsFor(place, policy) : []
      const listing = historyListing({ now: context.runtime.clock.now(), revisions })
      // With a limit of none it is not known whether there were any.
      const none = policy.spec.historyLimit === 0 ? 'no rollout is kept: historyLimit is 0' : listing.none
      context.stdout.write(list(ended, format, { ...listing, none }, context.stdout))
    })
  })
}

async function revisionsFor(place: Place, policy: Parameters<typeof findTarget>[1]): Promise<readonly Revision[]> {
  const workload = await findTarget(place, policy)
  return workload === undefined ? [] : revisionsOf(place, workload)
}
