/** `carabiner rollout approve`: answers a hook that waits for a person. */
import { Command } from 'commander'
import { type ApprovalDecision, approvalAnnotation } from '../../hooks/index.ts'
import { compilePolicy, type RolloutPolicy } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { say } from '../terminal/say.ts'
import { waitingApprovals } from './advice.ts'
import { annotate, findPolicy, notNow, referenceHelp } from './policies.ts'

export function approveCommand(context: CliContext): Command {
  const approve = new Command('approve')
    .summary('Answer a hook that waits for an approval')
    .description('Answers a hook that waits for an approval: the only one that waits, or the one that is named.')
    .argument('<policy>', referenceHelp)
    .argument('[hook]', 'name of the hook; not needed when only one waits')
    .option('--reject', 'say no; the failure policy of the hook decides what that means')
  return placeOptions(approve).action(
    async (reference: string, hook: string | undefined, options: PlaceOptions & { reject?: boolean }) => {
      const given: ApprovalDecision = options.reject === true ? 'rejected' : 'approved'
      await inCluster(context, options, async (place) => {
        const answered = await answer(place, reference, hook, given)
        say(context.stdout, `hook ${answered} of ${reference} is ${given}\n`)
      })
    },
  )
}

/** The name of the hook that was answered. */
export async function answer(
  place: Place,
  reference: string,
  named: string | undefined,
  given: ApprovalDecision,
): Promise<string> {
  const policy = await findPolicy(place, reference)
  const hook = named ?? theOnlyOne(policy)
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
  return hook
}

function theOnlyOne(policy: RolloutPolicy): string {
  const waiting = waitingApprovals(policy)
  const [only] = waiting
  const { namespace, name } = policy.metadata
  if (only === undefined) throw notNow(policy, `no hook of ${name} waits for an approval`)
  if (waiting.length === 1) return only
  const remedy = `Name the one to answer: ${waiting.map((hook) => `carabiner rollout approve -n ${namespace} ${name} ${hook}`).join(', or ')}`
  throw new CarabinerError(
    'CRB_USAGE',
    `${waiting.length} hooks of ${name} wait for an approval: ${waiting.join(', ')}`,
    {
      remedy,
    },
  )
}
