/** `carabiner rollout undo`: goes back to the revision a rollout came from. */
import { Command } from 'commander'
import { undoAnnotation } from '../../rollouts/labels.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { annotate, findPolicy, referenceHelp } from './policies.ts'

export function undoCommand(context: CliContext): Command {
  const undo = new Command('undo')
    .summary('Go back to the revision before')
    .description('Goes back to the revision that the last rollout came from, under way, aborted or complete.')
    .argument('<policy>', referenceHelp)
  return placeOptions(undo).action(async (reference: string, options: PlaceOptions) => {
    await inCluster(context, options, async (place) => {
      const to = await undoRollout(place, reference)
      context.stdout.write(`${reference} goes back to ${to}\n`)
    })
  })
}

/** The name of the revision it goes back to. */
export async function undoRollout(place: Place, reference: string): Promise<string> {
  const policy = await findPolicy(place, reference)
  const ledger = policy.status?.rollout
  if (ledger === undefined)
    throw new CarabinerError('CRB_USAGE', `${reference} has had no rollout that could be undone`)
  if (ledger.from === undefined)
    throw new CarabinerError('CRB_USAGE', `${reference}: its first rollout has nothing to go back to`)
  await annotate(place, policy, undoAnnotation, ledger.id)
  return ledger.from
}
