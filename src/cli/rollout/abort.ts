/** `carabiner rollout abort`: ends a rollout as a failed hook would, whatever its hooks say. */
import { Command } from 'commander'
import { abortAnnotation } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
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
      const { id, isEmpty } = await abortRollout(place, reference)
      context.stdout.write(`rollout ${id} of ${reference} is aborted\n`)
      if (isEmpty)
        context.stderr.write(
          `its old pods have ended and no new one is there: go on with carabiner rollout retry, or back with carabiner rollout undo\n`,
        )
    })
  })
}

/** The id of the rollout, and whether nothing is left that serves. */
export async function abortRollout(place: Place, reference: string): Promise<{ id: string; isEmpty: boolean }> {
  const policy = await findPolicy(place, reference)
  const ledger = policy.status?.rollout
  if (ledger === undefined || ledger.endedAt !== undefined || ledger.phase === 'Aborted')
    throw notNow(policy, `${reference} has no rollout under way: ${ledger?.phase ?? 'none is known'}`)
  await annotate(place, policy, abortAnnotation, ledger.id)
  return { id: ledger.id, isEmpty: ledger.point === 'mid' && policy.spec.onAbort !== 'Undo' }
}
