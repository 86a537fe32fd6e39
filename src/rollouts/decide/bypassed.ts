/**
 * A template that rolled out without its hooks, although the policy was ready: the gate let its writer pass. The status records the template
 * that was seen last, so that the passing is found however long the operator was away.
 */
import type { Instant } from '../../runtime/index.ts'
import { rollsByHand } from '../gate/gate.ts'
import { optInLabel } from '../labels.ts'
import type { Revision, World } from '../observe/index.ts'
import type { RolloutPolicy, RolloutPolicyStatus } from '../policy/types.ts'
import type { EventWrite, Proposal } from './decision.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { settle } from './status.ts'
import type { TargetWorld } from './target-world.ts'

const reason = 'GateOpenToYou'

/** The revision that rolled out without hooks. */
export function bypassingRevision(world: TargetWorld): Revision | undefined {
  const { policy, workload, compiled, revisions, templateHash } = world
  const seen = policy.status?.template
  if (seen === undefined || seen.uid !== workload.metadata.uid || seen.hash === templateHash) return undefined
  // Nothing was promised, or nothing rolls out by itself.
  if ('problems' in compiled || compiled.hooks.length === 0 || rollsByHand(workload)) return undefined
  if (!wasEnforced(policy)) return undefined
  const revision = revisions.find((one) => one.templateHash === templateHash)
  // An API server of a newer version may show the same template with another default.
  return revision?.name === seen.revision ? undefined : revision
}

/** The condition that the template was changed under. */
function wasEnforced({ status }: RolloutPolicy): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.reason === reason) return true
  return ready?.status === 'True' && ready.reason !== 'Released' && ready.reason !== 'Suspended'
}

/** What the status records of the template; the one before while a later one has passed without hooks. */
export function seenTemplate(
  { workload, revisions, templateHash }: World,
  status: RolloutPolicyStatus,
): Pick<RolloutPolicyStatus, 'template'> {
  const isKept = status.conditions?.some((condition) => condition.type === 'Ready' && condition.reason === reason)
  if (workload === undefined || templateHash === undefined || isKept === true) return {}
  const { uid = '' } = workload.metadata
  const revision = revisions.find((one) => one.templateHash === templateHash)?.name
  return { template: { uid, hash: templateHash, ...(revision === undefined ? {} : { revision }) } }
}

export function decideGateOpenToYou({ world, revision }: SituationOf<'GateOpenToYou'>, now: Instant): Proposal {
  const { policy, gate } = world
  const { kind, name } = policy.spec.targetRef
  const passed =
    gate.kind === 'at-rest'
      ? 'it was opened by hand'
      : `its writer has the user of the operator, or took the label ${optInLabel} away; see carabiner doctor`
  const message = `revision ${revision.name} of ${kind} ${name} rolled out without hooks, because the gate did not hold it: ${passed}`
  const proposal = settle(policy, verdictOf(reason, message), now)
  // Told once, with the write of the condition.
  return proposal.ledger === undefined ? proposal : { ...proposal, events: [withoutHooks(message)] }
}

export function withoutHooks(message: string): EventWrite {
  return { kind: 'event', type: 'Warning', reason: 'RolledOutWithoutHooks', message }
}
