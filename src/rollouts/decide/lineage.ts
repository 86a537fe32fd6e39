/** Where a rollout comes from, and whether there is anything to roll out, as the history and the pods show. */
import { isUnfinished } from '../ledger/index.ts'
import type { Revision, World } from '../observe/index.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

/** Whether all pods are of this revision, or no pod has changed since the rollout from it began. */
export function isReverted(world: World, target: Revision): boolean {
  const before = world.policy.status?.rollout
  // A complete rollout left no pod of another revision: where there are only such pods, the cache does not show the new ones yet.
  if (before?.phase === 'Complete' && before.to !== target.name) return false
  return isStable(world, target) || isUntouched(world, target, before)
}

/** All pods are of this revision: there is nothing to roll out. */
export function isStable({ pods, workload }: World, target: Revision): boolean {
  const key = keyOf(workload, target)
  const alive = pods.filter(({ isEnding }) => !isEnding)
  return alive.length > 0 && alive.every(({ revision }) => revision === key)
}

/** There are no pods, and the unfinished rollout that began from this revision created none. */
function isUntouched({ pods }: World, target: Revision, before: Ledger | undefined): boolean {
  return pods.every(({ isEnding }) => isEnding) && isUnfinished(before) && before?.from === target.name
}

function keyOf(workload: Workload | undefined, { uid, name }: Revision): string {
  return workload?.kind === 'Deployment' ? uid : name
}

/** The name of the revision that ran last, as far as the policy records it. */
function lastRecorded({ status: { rollout, history } = {} }: RolloutPolicy): string | undefined {
  // Released without its hooks, it may have ended in any way.
  if (rollout?.phase === 'Cancelled') return undefined
  // The revision an undo came from did not complete.
  if (isUnfinished(rollout) && rollout.type === 'UNDO') return rollout.to
  // Going back from a complete rollout, it has run last.
  if (isUnfinished(rollout) && (rollout?.moved !== true || rollout.undoOf === undefined)) return rollout?.from
  return history?.find(({ phase }) => phase === 'Complete')?.to
}

/**
 * Whether something was rolled out since without hooks, because the policy was suspended or the workload released: no history records that, but
 * the pods show it. Only newer revisions count, because a cache that is behind shows older pods.
 */
function isPassed({ policy, revisions, pods, workload }: World, known: Revision): boolean {
  if (isUnfinished(policy.status?.rollout)) return false
  const alive = pods.filter(({ isEnding }) => !isEnding)
  const newer = new Set(revisions.filter(({ number }) => number > known.number).map((one) => keyOf(workload, one)))
  return alive.length > 0 && alive.every(({ revision }) => newer.has(revision))
}

/** The last completed revision if it is recorded, else the one that most pods are of, else the newest. */
export function stableRevision(world: World, target: Revision | undefined): Revision | undefined {
  const { policy, revisions, pods, workload } = world
  // A hidden revision has not run, or not last.
  const others = revisions.filter((revision) => revision !== target && !revision.isHidden)
  const ran = lastRecorded(policy)
  const known = others.find(({ name }) => name === ran)
  if (known !== undefined && !isPassed(world, known)) return known
  const count = (revision: Revision) => pods.filter((pod) => pod.revision === keyOf(workload, revision)).length
  return others.toSorted((a, b) => count(b) - count(a) || b.number - a.number)[0]
}
