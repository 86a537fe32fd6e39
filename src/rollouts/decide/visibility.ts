/**
 * Which ReplicaSets of a Deployment the native controller may see. `deployment.Sync` scales the newest ReplicaSet of a paused Deployment when
 * none has replicas, so that a held Deployment without pods would get pods of the new template before its hooks have ended. ReplicaSets that must
 * not run yet are hidden while such a Deployment is held, and shown again before or right after the gate opens.
 */

import { holdLabel, optInLabel } from '../labels.ts'
import { isActive, isSettled } from '../ledger/index.ts'
import { canBeHidden } from '../objects/hidden-replica-set.ts'
import type { Revision, World } from '../observe/index.ts'
import type { Ledger } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import type { Phases, Proposal, RevisionWrite } from './decision.ts'

/** Whether a ReplicaSet that is created now would be the one that is scaled. */
export function isCreatedHidden({ workload, pods }: World): boolean {
  if (workload === undefined || !isGated(workload)) return false
  return workload.spec.replicas === 0 || pods.every(({ isEnding }) => isEnding)
}

type Visibility = Pick<Phases, 'before' | 'unhide' | 'after'>

const unchanged: Visibility = { before: [], unhide: [], after: [] }

/** What the proposal needs the native controller to see, and no more. */
export function visibilityFor(world: World, { gate, ...proposal }: Proposal): Visibility {
  const { policy, workload } = world
  if (workload?.kind !== 'Deployment' || workload.metadata.labels?.[optInLabel] !== policy.metadata.name)
    return unchanged
  const ledger = (proposal.ledger ?? proposal.finalLedger ?? policy.status)?.rollout
  const isOpening = gate?.kind === 'workload' && opens(gate.patch)
  if (!isOpening && (workload as Deployment).spec.paused === true)
    return { ...unchanged, before: toHide(world, ledger) }
  const shown = toShow(world, ledger)
  // Otherwise they would stay hidden after the last finalizer is gone.
  if (!isOpening) return { ...unchanged, before: shown }
  const isNew = (write: RevisionWrite) => write.kind === 'unhide' && write.revision.templateHash === world.templateHash
  return { ...unchanged, unhide: shown.filter(isNew), after: shown.filter((write) => !isNew(write)) }
}

function isGated(workload: Workload): workload is Deployment {
  if (workload.kind !== 'Deployment' || workload.metadata.labels?.[holdLabel] !== 'gate') return false
  return canBeHidden((workload as Deployment).spec.selector)
}

function opens(patch: { readonly spec?: { readonly paused?: boolean } }): boolean {
  return patch.spec?.paused === false
}

/** Where the gate was opened by someone else, the native controller creates a ReplicaSet of its own for the template, and that one stays. */
function toShow(
  { revisions, workload, templateHash: own }: World,
  ledger: Ledger | undefined,
): readonly RevisionWrite[] {
  const created = (workload as Deployment).spec.paused === true ? undefined : own
  return revisions.flatMap((revision): RevisionWrite[] => {
    if (!revision.isHidden) return []
    const { name, templateHash } = revision
    if (!revisions.some((other) => !other.isHidden && other.templateHash === templateHash))
      return templateHash === created ? [] : [{ kind: 'unhide', revision }]
    // Its hooks would be deleted with it.
    return isActive(ledger) && ledger.to === name ? [] : [{ kind: 'delete-duplicate', revision }]
  })
}

function toHide({ workload, policy, revisions, templateHash }: World, ledger?: Ledger): readonly RevisionWrite[] {
  if (workload === undefined || !isGated(workload) || workload.spec.replicas !== 0) return []
  if (ledger === undefined || ledger.templateHash !== templateHash || !awaitsHooks(ledger)) return []
  const from = revisions.find(({ name }) => name === ledger.from)
  return revisions
    .filter((one) => one.templateHash === templateHash || (from !== undefined && isPreferred(policy, one, from)))
    .filter(({ isHidden }) => !isHidden)
    .map((revision) => ({ kind: 'hide', revision }))
}

function awaitsHooks({ phase, hooks }: Ledger): boolean {
  return phase !== 'Finishing' && phase !== 'Complete' && phase !== 'Cancelled' && !hooks.every(isSettled)
}

/** Whether it would be scaled instead of the one that ran last, although it ran before that one or never. */
function isPreferred({ status }: World['policy'], one: Revision, last: Revision): boolean {
  const isYounger = one.createdAt === last.createdAt ? one.name > last.name : one.createdAt > last.createdAt
  if (!isYounger) return false
  const history = status?.history ?? []
  const completed = history.findIndex(({ phase }) => phase === 'Complete')
  const since = completed === -1 ? history : history.slice(0, completed)
  return one.number < last.number || since.some(({ to }) => to === one.name)
}
