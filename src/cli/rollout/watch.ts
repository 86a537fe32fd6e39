/** `carabiner rollout watch`: a rollout as it happens, and what to do when it has ended. */
import { Command } from 'commander'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../outcome.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { adviceAfter, adviceText } from './advice.ts'
import { detailOf } from './detail/detail.ts'
import { outcomeOf } from './outcome.ts'
import { findOnly, findPolicy, findTarget, referenceHelp } from './policies.ts'
import { Watching } from './watching.ts'

export function watchCommand(context: CliContext): Command {
  const watch = new Command('watch')
    .summary('See a rollout as it happens')
    .description(
      'Shows the rollout that is under way until it ends, and what can be done then. When none is under way, it shows the last one and ends; it waits for the first one of a policy. Exits with 0 when the rollout is complete, 1 when it is aborted, undone or stalled, 3 when interrupted.',
    )
    .argument('[policy]', `${referenceHelp}; not needed when there is only one`)
    .option('--forever', 'go on with the next rollout, until interrupted')
  return placeOptions(watch).action(
    async (reference: string | undefined, options: PlaceOptions & { forever?: boolean }) => {
      await inCluster(context, options, async (place) => {
        const policy = await findOnly(place, reference)
        const workload = await findTarget(place, policy)
        if (workload === undefined) {
          const { kind, name } = policy.spec.targetRef
          throw new CarabinerError('CRB_USAGE', `there is no ${kind} ${place.namespace}/${name}`)
        }
        const isEndless = options.forever === true
        if (isEndless && policy.status?.rollout !== undefined && outcomeOf(policy, workload) === 'settled')
          context.stderr.write('no rollout is under way; waits for the next one, Ctrl-C ends\n')
        const watching = new Watching(context, place, { policy, workload })
        const unmute = context.stdout.isTerminal ? context.muteKeys?.() : undefined
        const outcome = await watching.run({ isEndless }).finally(unmute)
        context.exit(exitCodes[outcome])
        const ended = await detailOf(place, await findPolicy(place, policy.metadata.name))
        const title = ended.outcome === 'settled' ? 'Next' : 'What to do'
        context.stdout.write(adviceText(title, adviceAfter(ended), context))
      })
    },
  )
}
