/** `carabiner rollout retry`: lets an aborted rollout go on with another attempt of the hooks that failed. */
import { Command } from 'commander'
import { retryAnnotation } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { say } from '../terminal/say.ts'
import { annotate, findPolicy, notNow, referenceHelp } from './policies.ts'

export function retryCommand(context: CliContext): Command {
  const retry = new Command('retry')
    .summary('Let an aborted rollout go on')
    .description('Lets an aborted rollout go on: hooks that failed are started again, those that succeeded are not.')
    .argument('<policy>', referenceHelp)
  return placeOptions(retry).action(async (reference: string, options: PlaceOptions) => {
    await inCluster(context, options, async (place) => {
      await tryAgain(place, reference)
      say(context.stdout, `the rollout of ${reference} is tried again\n`)
    })
  })
}

export async function tryAgain(place: Place, reference: string): Promise<void> {
  const policy = await findPolicy(place, reference)
  const ledger = policy.status?.rollout
  if (ledger?.phase !== 'Aborted')
    throw notNow(policy, `${reference} has no aborted rollout: ${ledger?.phase ?? 'none is known'}`)
  if (ledger.endedAt === undefined)
    throw notNow(policy, `${reference}: the hooks for an abort still run; try again when they have ended`)
  await annotate(place, policy, retryAnnotation, ledger.id)
}
