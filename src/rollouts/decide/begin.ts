/**
 * The first decision about a new template: what kind of rollout it is, where it comes from, and the ledger that is written before
 * anything is touched.
 */
import type { Instant } from '../../runtime/clock.ts'
import { ended, historyWith, isActive, rolloutId, timeText, wordOf } from '../ledger/ledger.ts'
import { typeOf } from '../ledger/rollout-type.ts'
import { savedOf } from '../ledger/saved-fields.ts'
import type { Revision, World } from '../observe/world.ts'
import { type CompiledPolicy, showMoment } from '../policy/compile.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import { isStillToldFailed } from './aborted.ts'
import { advance } from './advance.ts'
import { cancelHooks } from './cancel.ts'
import type { Decision, Write } from './decision.ts'
import { statusWith } from './status.ts'
import { undoneBy } from './undo.ts'

export function begin(world: World, compiled: CompiledPolicy, hash: string, now: Instant): Decision {
  const { policy, workload, revisions } = world
  if (workload === undefined) return { writes: [], why: 'there is no workload' }
  const target = revisions.find(({ templateHash }) => templateHash === hash)
  if (target === undefined && workload.kind !== 'Deployment')
    return { writes: [], why: 'the new revision is not there yet' }
  const id = rolloutId(workload, hash)
  // Caches do not wait for each other, and a rollout that was reverted is told of nowhere else.
  if (policy.status?.history?.some((past) => past.id === id) === true)
    return { writes: [], why: 'the workload is not yet seen as the history knows it' }
  const before = policy.status?.rollout
  const overtaken = isActive(before) ? ended(before, 'Cancelled', now, 'a newer template came') : undefined
  const cancels = isActive(before) ? cancelHooks(world, before) : []
  const history =
    overtaken === undefined ? (policy.status?.history ?? []) : historyWith(policy, overtaken, compiled.historyLimit)
  const strategy = strategyOf(workload)
  const saved = savedOf(policy, workload)

  // Native controllers may have taken the pods of an unfinished rollout away before anybody looks: the ledger knows that there were some.
  const moved = before !== undefined && before.phase !== 'Complete' && before.moved === true
  // A rollout that was completed left no pod of another revision: whoever sees only such pods has not seen the new ones yet.
  const isBehind = before?.phase === 'Complete' && before.to !== target?.name
  const isReverted =
    target !== undefined && !moved && !isBehind && (isStable(world, target) || isLeft(world, target, before))
  const undoOf = undoneBy(policy, hash)
  if (isReverted && undoOf === undefined) {
    const message = 'the template is that of the pods that run'
    const { rollout: _, ...status } = statusWith(
      policy,
      { state: 'ready', reason: 'Reverted', message },
      { history },
      now,
    )
    return {
      // The ledger knows what to put back, and so goes last.
      writes: [...cancels, { kind: 'workload', patch: strategy.open(saved) }, { kind: 'status', status }],
      why: message,
    }
  }

  const from =
    stableRevision(world, target) ?? revisions.find(({ name }) => undoOf !== undefined && name === before?.to)
  const type = typeOf(history, from, target)
  const ledger: Ledger = {
    id,
    type,
    phase: 'Pending',
    ...(from === undefined ? {} : { from: from.name }),
    to: target?.name ?? revisionName(workload, hash),
    templateHash: hash,
    startedAt: timeText(now),
    saved,
    ...(undoOf === undefined ? {} : { undoOf }),
    ...(moved ? { moved } : {}),
    // Where no pod has changed, there is nothing for hooks to take back.
    hooks: isReverted ? [] : compiled.hooks.filter(({ on }) => on.has(type)).map(recordOf),
  }
  const message = `${wordOf(ledger)} to ${ledger.to} begins`
  const status = statusWith(
    policy,
    { state: 'reconciling', reason: 'Pending', message },
    { rollout: ledger, history },
    now,
  )
  const event: Write = { kind: 'event', type: 'Normal', reason: 'RolloutStarted', message, isRoutine: true }
  const [told, ...starts] = firstHooks({ ...world, policy: { ...policy, status } }, compiled, ledger, now)
  return { writes: [told ?? { kind: 'status', status }, ...cancels, event, ...starts], why: message }
}

/** Hooks before the first pod start at once, so that one write of the ledger tells both; nothing else is done in the same breath. */
function firstHooks(world: World, compiled: CompiledPolicy, ledger: Ledger, now: Instant): readonly Write[] {
  if (world.workload === undefined || isStillToldFailed(world.workload)) return []
  const { writes } = advance(world, compiled, ledger, now)
  const isStart = ({ kind }: Write) => kind === 'create-revision' || kind === 'start-hook' || kind === 'event'
  return writes[0]?.kind === 'status' && writes.slice(1).every(isStart) ? writes : []
}

function recordOf({ name, moment }: CompiledPolicy['hooks'][number]): HookRecord {
  return { name, point: showMoment(moment), state: 'Pending', attempts: 0 }
}

/** As the native controller would name it, so that it looks familiar; any name would do. */
function revisionName({ metadata }: Workload, hash: string): string {
  return `${metadata.name}-${hash.slice(0, 10)}`
}

/** All pods are of this revision: there is nothing to roll. */
export function isStable({ pods, workload }: World, target: Revision): boolean {
  const key = keyOf(workload, target)
  const alive = pods.filter(({ isEnding }) => !isEnding)
  return alive.length > 0 && alive.every(({ revision }) => revision === key)
}

/** Nothing runs, and nothing has come of the rollout that began from this revision. */
function isLeft({ pods }: World, target: Revision, before: Ledger | undefined): boolean {
  return pods.every(({ isEnding }) => isEnding) && isUnfinished(before) && before?.from === target.name
}

function isUnfinished(ledger: Ledger | undefined): boolean {
  return ledger?.phase === 'Aborted' || isActive(ledger)
}

function keyOf(workload: Workload | undefined, { uid, name }: Revision): string {
  return workload?.kind === 'Deployment' ? uid : name
}

/** The name of the revision that ran last, as far as the policy knows. */
function lastKnown({ status: { rollout, history } = {} }: RolloutPolicy): string | undefined {
  // Let go without its hooks, it may have come to anything.
  if (rollout?.phase === 'Cancelled') return undefined
  // A way back that has moved pods comes from what it takes away.
  if (isUnfinished(rollout) && (rollout?.moved !== true || rollout.undoOf === undefined)) return rollout?.from
  return history?.find(({ phase }) => phase === 'Complete')?.to
}

/**
 * Whether something was rolled out since without hooks, because they were suspended or let go: no history tells of that, but pods do. Only
 * newer revisions count, because older pods are what a cache shows that is behind.
 */
function isPassed({ policy, revisions, pods, workload }: World, known: Revision): boolean {
  if (isUnfinished(policy.status?.rollout)) return false
  const alive = pods.filter(({ isEnding }) => !isEnding)
  const newer = new Set(revisions.filter(({ number }) => number > known.number).map((one) => keyOf(workload, one)))
  return alive.length > 0 && alive.every(({ revision }) => newer.has(revision))
}

/** Where the rollout comes from: the last completed one if it is known, else the revision most pods are of, else the newest. */
function stableRevision(world: World, target: Revision | undefined): Revision | undefined {
  const { policy, revisions, pods, workload } = world
  // What was kept apart has not run, or not last.
  const others = revisions.filter((revision) => revision !== target && !revision.isApart)
  const ran = lastKnown(policy)
  const known = others.find(({ name }) => name === ran)
  if (known !== undefined && !isPassed(world, known)) return known
  const count = (revision: Revision) => pods.filter((pod) => pod.revision === keyOf(workload, revision)).length
  return others.toSorted((a, b) => count(b) - count(a) || b.number - a.number)[0]
}
