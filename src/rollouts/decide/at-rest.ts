/**
 * No rollout is under way. Where admission cannot hold changed templates, workloads rest with their gate closed: the engine opens it for a
 * rollout and closes it again when all pods have the template. A person may open it at any time.
 */
import type { Instant } from '../../runtime/index.ts'
import { closedPartition, editPrefix, editText, partitionEdit } from '../gate/pending-edits.ts'
import { holdLabel, releaseLabel } from '../labels.ts'
import { ended, historyWith, isSettled } from '../ledger/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { DaemonSet, Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import { withoutHooks } from './bypassed.ts'
import type { Proposal } from './decision.ts'
import { isStable } from './lineage.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { settle } from './status.ts'
import type { TargetWorld } from './target-world.ts'

/** What closes the gate of a workload at rest; without a patch when it is closed. Undefined when the workload does not rest. */
export function closeAtRest(world: TargetWorld): { readonly patch?: object } | undefined {
  const { workload, revisions } = world
  const target = revisions.find(({ templateHash }) => templateHash === world.templateHash)
  if (target === undefined || target.isHidden) return undefined
  const hold = workload.metadata.labels?.[holdLabel]
  // A workload that its owner has paused, or rolls out by hand, is not touched.
  if (hold === undefined && isHeldByOwner(workload)) return undefined
  if (strategyOf(workload).size(workload, {}) > 0 && !isStable(world, target)) return undefined
  return hold !== undefined && isClosed(workload) ? {} : { patch: closingPatch(workload) }
}

function isHeldByOwner(workload: Workload): boolean {
  if (workload.kind === 'Deployment') return (workload as Deployment).spec.paused === true
  return (workload as StatefulSet | DaemonSet).spec.updateStrategy?.type === 'OnDelete'
}

function isClosed(workload: Workload): boolean {
  if (workload.kind !== 'StatefulSet') return isHeldByOwner(workload)
  return (workload as StatefulSet).spec.updateStrategy?.rollingUpdate?.partition === closedPartition
}

function closingPatch(workload: Workload): object {
  const labels = { [holdLabel]: 'gate' }
  if (workload.kind === 'Deployment') return { metadata: { labels }, spec: { paused: true } }
  if (workload.kind === 'DaemonSet') return { metadata: { labels }, spec: { updateStrategy: { type: 'OnDelete' } } }
  const { partition = 0 } = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate ?? {}
  const own = partition === 0 ? {} : { [editPrefix + partitionEdit.name]: editText(partition) }
  return {
    metadata: { labels: { ...labels, ...own } },
    spec: { updateStrategy: { rollingUpdate: { partition: closedPartition } } },
  }
}

export function decideRestingOpen({ patch }: SituationOf<'RestingOpen'>): Proposal {
  return { gate: { kind: 'workload', patch }, why: 'the gate is shut until a template changes' }
}

export function decideAtRest({ world: { policy } }: SituationOf<'AtRest'>, now: Instant): Proposal {
  const why = 'no rollout is under way'
  // How the last rollout ended is worth more than that nothing has happened since.
  return isReady(policy) ? { why } : settle(policy, verdictOf('AtRest', why), now)
}

function isReady({ metadata, status }: RolloutPolicy): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.reason === 'Released' || ready?.reason === 'Suspended') return false
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation
}

export function decideAborted({ world, ledger }: SituationOf<'Aborted'>, now: Instant): Proposal {
  return settle(world.policy, verdictOf('Aborted', ledger.message ?? 'a hook failed'), now)
}

/** The condition records why rollouts pass without hooks. */
export function decideSuspended({ world: { policy } }: SituationOf<'Suspended'>, now: Instant): Proposal {
  return settle(policy, verdictOf('Suspended', 'the policy is suspended: rollouts pass without hooks'), now)
}

export function decideReleased({ world: { policy } }: SituationOf<'Released'>, now: Instant): Proposal {
  const { kind, name } = policy.spec.targetRef
  const message = `${kind} ${name} has label ${releaseLabel}=true: rollouts pass without hooks`
  return settle(policy, verdictOf('Released', message), now)
}

/** The rollout cannot go on: its gate is open, or its workload is another one. */
export function decideOpenedByOther({ world, ledger, reason }: SituationOf<'OpenedByOther'>, now: Instant): Proposal {
  const { policy } = world
  const over = ended(ledger, 'Cancelled', now, reason)
  const history = historyWith(policy, over, policy.spec.historyLimit ?? 5)
  const verdict = verdictOf('OpenedByOther', over.message ?? '')
  const proposal = settle(policy, verdict, now, { rollout: over, history })
  const skipped = ledger.hooks.filter((hook) => !isSettled(hook)).map(({ name }) => name)
  if (skipped.length === 0) return proposal
  const message = `revision ${ledger.to} rolls out without ${skipped.length === 1 ? 'hook' : 'hooks'} ${skipped.join(', ')}: ${reason}`
  return { ...proposal, events: [withoutHooks(message)] }
}

export function decidePausedByOwner({ world: { policy } }: SituationOf<'PausedByOwner'>, now: Instant): Proposal {
  const resume = `kubectl rollout resume -n ${policy.metadata.namespace} deployment/${policy.spec.targetRef.name}`
  const message = `its owner has paused it; hooks begin with: ${resume}`
  return settle(policy, verdictOf('PausedByOwner', message), now)
}
