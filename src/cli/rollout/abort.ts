/** `carabiner rollout abort`: ends a rollout as a failed hook would, whatever its hooks say. */
import { Command } from 'commander'
import { abortAnnotation, type RolloutPolicy } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { say } from '../terminal/say.ts'
import { adviceText, waysOn } from './advice.ts'
import { annotate, findPolicy, notNow, referenceHelp } from './policies.ts'

export function abortCommand(context: CliContext): Command {
  const abort = new Command('abort')
    .summary('End the rollout that is under way')
    .description(
      'Aborts the rollout that is under way: running hooks are ended, those for an abort run, and what onAbort says happens.',
    )
    .argument('<policy>', referenceHelp)
  return placeOptions(abort).action(async (reference: string, options: PlaceOptions) => {
    await inCluster(context, options, async (place) => {
      const { id, isEmpty, policy } = await abortRollout(place, reference)
      say(context.stdout, `rollout ${id} of ${reference} is aborted\n`)
      if (isEmpty) {
        say(context.stderr, 'its old pods have ended and no new one is there\n')
        context.stderr.write(adviceText('What to do', waysOn(policy), context))
      }
    })
  })
}

interface Aborted {
  readonly id: string
  readonly policy: RolloutPolicy
  /** Nothing is left that serves. */
  readonly isEmpty: boolean
}

export async function abortRollout(place: Place, reference: string): Promise<Aborted> {
  const policy = await findPolicy(place, reference)
  const ledger = policy.status?.rollout
  if (ledger === undefined || ledger.endedAt !== undefined || ledger.phase === 'Aborted')
    throw notNow(policy, `${reference} has no rollout under way: ${ledger?.phase ?? 'none is known'}`)
  await annotate(place, policy, abortAnnotation, ledger.id)
  return { id: ledger.id, policy, isEmpty: ledger.point === 'mid' && policy.spec.onAbort !== 'Undo' }
}
