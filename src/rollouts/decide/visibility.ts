/**
 * Which ReplicaSets the native controller of a Deployment sees. Where none has replicas it scales the new one, paused or not, and else the
 * youngest: a held Deployment without pods would get those of the new version before its hooks have ended. So what must not run yet is kept
 * apart while such a Deployment is held, and brought back before the gate opens.
 */
import { holdLabel, optInLabel } from '../labels.ts'
import { isActive, isSettled } from '../ledger/ledger.ts'
import { canBeApart } from '../objects/hidden-replica-set.ts'
import type { Revision, World } from '../observe/world.ts'
import type { Ledger } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import type { Write } from './decision.ts'

/** Whether a ReplicaSet that is made now would be the one to be scaled. */
export function isBornApart({ workload, pods }: World): boolean {
  if (workload === undefined || !isGated(workload)) return false
  return workload.spec.replicas === 0 || pods.every(({ isEnding }) => isEnding)
}

/** What was decided, with what has to be done for the native controller to see what it may see, and no more. */
export function withSight(world: World, writes: readonly Write[]): readonly Write[] {
  const { policy, workload } = world
  if (workload?.kind !== 'Deployment' || workload.metadata.labels?.[optInLabel] !== policy.metadata.name) return writes
  const opening = writes.findIndex(isOpening)
  if (opening === -1 && (workload as Deployment).spec.paused === true) return [...setApart(world, writes), ...writes]
  const back = bringBack(world, ledgerIn(world, writes))
  // Nobody would do it any more after the last finalizer.
  if (opening === -1) return [...back, ...writes]
  // Without its ReplicaSet a Deployment that is let go would get another one; with others that never ran, a held one would run them.
  const isNew = (write: Write) => write.kind === 'bring-back' && write.revision.templateHash === world.templateHash
  const opened = writes.slice(opening, opening + 1)
  const others = back.filter((write) => !isNew(write))
  return [...writes.slice(0, opening), ...back.filter(isNew), ...opened, ...others, ...writes.slice(opening + 1)]
}

function isGated(workload: Workload): workload is Deployment {
  if (workload.kind !== 'Deployment' || workload.metadata.labels?.[holdLabel] !== 'gate') return false
  return canBeApart((workload as Deployment).spec.selector)
}

function isOpening(write: Write): boolean {
  return write.kind === 'workload' && (write.patch as { spec?: { paused?: boolean } }).spec?.paused === false
}

function ledgerIn({ policy }: World, writes: readonly Write[]): Ledger | undefined {
  return (writes.find((write) => write.kind === 'status')?.status ?? policy.status)?.rollout
}

/** Where somebody opens the gate by hand, the native controller makes a ReplicaSet of its own, and that one stays. */
function bringBack(world: World, ledger: Ledger | undefined): readonly Write[] {
  const { revisions, workload } = world
  const made = (workload as Deployment).spec.paused === true ? undefined : world.templateHash
  return revisions.flatMap((revision): Write[] => {
    if (!revision.isApart) return []
    const { name, templateHash } = revision
    if (!revisions.some((other) => !other.isApart && other.templateHash === templateHash))
      return templateHash === made ? [] : [{ kind: 'bring-back', revision }]
    // Its hooks would go with it.
    return isActive(ledger) && ledger.to === name ? [] : [{ kind: 'remove-twin', revision }]
  })
}

function setApart(world: World, writes: readonly Write[]): readonly Write[] {
  const { workload, revisions, templateHash } = world
  if (workload === undefined || !isGated(workload) || workload.spec.replicas !== 0) return []
  const ledger = ledgerIn(world, writes)
  if (ledger === undefined || ledger.templateHash !== templateHash || !awaitsHooks(ledger)) return []
  const from = revisions.find(({ name }) => name === ledger.from)
  return revisions
    .filter((one) => one.templateHash === templateHash || (from !== undefined && isPreferred(world, one, from)))
    .filter(({ isApart }) => !isApart)
    .map((revision) => ({ kind: 'set-apart', revision }))
}

function awaitsHooks({ phase, hooks }: Ledger): boolean {
  return phase !== 'Finishing' && phase !== 'Complete' && phase !== 'Cancelled' && !hooks.every(isSettled)
}

/** Whether it would be scaled in the place of the one that ran last, although it ran before that or never. */
function isPreferred({ policy }: World, one: Revision, last: Revision): boolean {
  const isYounger = one.createdAt === last.createdAt ? one.name > last.name : one.createdAt > last.createdAt
  if (!isYounger) return false
  const history = policy.status?.history ?? []
  const completed = history.findIndex(({ phase }) => phase === 'Complete')
  const since = completed === -1 ? history : history.slice(0, completed)
  return one.number < last.number || since.some(({ to }) => to === one.name)
}
