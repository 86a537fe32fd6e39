/** `carabiner rollout undo`: goes back to the revision a rollout came from. */
import { Command } from 'commander'
import { isNotFound } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { type RolloutPolicy, templateHash, undoAnnotation } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { say } from '../terminal/say.ts'
import { annotate, findPolicy, findTarget, notNow, referenceHelp } from './policies.ts'

export function undoCommand(context: CliContext): Command {
  const undo = new Command('undo')
    .summary('Go back to the revision before')
    .description('Goes back to the revision that the last rollout came from, under way, aborted or complete.')
    .argument('<policy>', referenceHelp)
  return placeOptions(undo).action(async (reference: string, options: PlaceOptions) => {
    await inCluster(context, options, async (place) => {
      const to = await undoRollout(place, reference)
      say(context.stdout, `${reference} goes back to ${to}\n`)
    })
  })
}

/** The name of the revision it goes back to. */
export async function undoRollout(place: Place, reference: string): Promise<string> {
  const policy = await findPolicy(place, reference)
  const ledger = policy.status?.rollout
  if (ledger === undefined) throw notNow(policy, `${reference} has had no rollout that could be undone`)
  const { from, undo, phase, id, type } = ledger
  if (from === undefined) throw notNow(policy, `${reference}: its first rollout has nothing to go back to`)
  if (type === 'UNDO')
    throw notNow(
      policy,
      `${reference}: its last rollout went back from ${from}; apply that template to roll it out again`,
    )
  if (undo !== undefined) throw notNow(policy, `${reference} is on its way back to ${undo.to} already`)
  const workload = await findTarget(place, policy)
  // The engine would not do it, and could not say so.
  if (phase === 'Cancelled' || (workload && templateHash(workload.spec.template) !== ledger.templateHash))
    throw notNow(policy, `${reference}: its last rollout, to ${ledger.to}, has been overtaken or let go`)
  if (!(await isThere(place, policy, from)))
    throw new CarabinerError('CRB_USAGE', `${reference}: revision ${from} is gone, and its template with it`, {
      remedy: 'Apply the old manifest again; a larger revisionHistoryLimit of the workload keeps more revisions.',
    })
  await annotate(place, policy, undoAnnotation, id)
  return from
}

async function isThere({ client, namespace }: Place, { spec }: RolloutPolicy, revision: string): Promise<boolean> {
  const type = spec.targetRef.kind === 'Deployment' ? resources.replicaSets : resources.controllerRevisions
  try {
    await client.of(type).get(revision, { namespace })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
