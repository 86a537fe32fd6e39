/** `carabiner rollout approve`: answers a hook that waits for a person. */
import { Command } from 'commander'
import { type ApprovalDecision, approvalAnnotation } from '../../hooks/index.ts'
import { compilePolicy } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { annotate, findPolicy, notNow, referenceHelp } from './policies.ts'

export function approveCommand(context: CliContext): Command {
  const approve = new Command('approve')
    .summary('Answer a hook that waits for an approval')
    .description('Answers a hook that waits for an approval.')
    .argument('<policy>', referenceHelp)
    .argument('<hook>', 'name of the hook')
    .option('--reject', 'say no; the failure policy of the hook decides what that means')
  return placeOptions(approve).action(
    async (reference: string, hook: string, options: PlaceOptions & { reject?: boolean }) => {
      const given: ApprovalDecision = options.reject === true ? 'rejected' : 'approved'
      await inCluster(context, options, async (place) => {
        await answer(place, reference, hook, given)
        context.stdout.write(`hook ${hook} of ${reference} is ${given}\n`)
      })
    },
  )
}

export async function answer(place: Place, reference: string, hook: string, given: ApprovalDecision): Promise<void> {
  const policy = await findPolicy(place, reference)
  const compiled = compilePolicy(policy.spec)
  const hooks = 'problems' in compiled ? [] : compiled.hooks
  const approvals = hooks.filter(({ action }) => action.kind === 'approval').map(({ name }) => name)
  if (!approvals.includes(hook)) {
    const others = approvals.length === 0 ? 'it has none' : `it has ${approvals.join(', ')}`
    throw new CarabinerError('CRB_USAGE', `${reference} has no hook ${hook} with the action approval; ${others}`)
  }
  const ledger = policy.status?.rollout
  const record = ledger?.hooks.find(({ name }) => name === hook)
  if (ledger === undefined || ledger.endedAt !== undefined || record?.state !== 'Running') {
    const state = record === undefined ? 'there is no rollout' : `its state is ${record.state}`
    throw notNow(policy, `hook ${hook} does not wait for an approval: ${state}`)
  }
  await annotate(place, policy, approvalAnnotation({ lifecycle: ledger.id, hook, attempt: record.attempts }), given)
}
