/** Finds out which situation a policy is in. The order of the questions decides: the first one that applies is the situation. */
import type { Instant } from '../../runtime/index.ts'
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { ended, historyWith, isActive, rolloutId } from '../ledger/index.ts'
import type { World } from '../observe/index.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import { closeAtRest } from './at-rest.ts'
import { bypassingRevision } from './bypassed.ts'
import { classifyRollout } from './classify-rollout.ts'
import { hasFinalizer } from './finalizer.ts'
import { isReverted } from './lineage.ts'
import { obstacleOf } from './obstacles.ts'
import { isOfPreviousWorkload, whyPrevious } from './previous-workload.ts'
import { isFailureStillReported } from './reported-failure.ts'
import { isAbortRequested, isRetryRequested, isUndoRequested } from './requests.ts'
import type { Situation } from './situation.ts'
import { hasTarget, type TargetWorld } from './target-world.ts'
import { undoneBy } from './undo.ts'

export function classify(world: World, now: Instant): Situation {
  const { policy, gate, compiled } = world
  if (policy.metadata.deletionTimestamp !== undefined) return { name: 'Deleted', world }
  if (gate.problem !== undefined) return { name: 'GateMissing', world, problem: gate.problem }
  if ('problems' in compiled) return { name: 'InvalidPolicy', world, problems: compiled.problems }
  if (!hasTarget(world)) return { name: 'TargetNotFound', world }
  return classifyTarget(world, compiled, now)
}

/** Whether no hook is to hold the workload. */
function isReleased({ workload }: TargetWorld): boolean {
  return workload.metadata.labels?.[releaseLabel] === 'true'
}

function classifyTarget(world: TargetWorld, compiled: CompiledPolicy, now: Instant): Situation {
  const { policy, workload, templateHash } = world
  const labels = workload.metadata.labels ?? {}
  const isAdopted = labels[optInLabel] === policy.metadata.name
  const ledger = policy.status?.rollout
  const obstacle = obstacleOf(world, compiled)
  if (obstacle !== undefined) {
    // A person who releases the workload does not have to fix the policy first.
    if (labels[holdLabel] === undefined || !isAdopted || !isReleased(world)) return obstacle
    return isActive(ledger)
      ? { name: 'RolloutReleased', world, ledger, reason: 'released by hand' }
      : { name: 'HoldReleased', world }
  }
  // The label may stand in the manifest already.
  if (!isAdopted || !hasFinalizer(policy)) return { name: 'NotAdopted', world }
  if (!isActive(ledger)) return classifyHeld(world, compiled, now)
  if (isReleased(world)) return { name: 'RolloutReleased', world, ledger, reason: 'released by hand' }
  if (policy.spec.suspend === true) return { name: 'RolloutReleased', world, ledger, reason: 'the policy is suspended' }
  if (ledger.templateHash !== templateHash || isOfPreviousWorkload(ledger, workload))
    return classifyHeld(world, compiled, now)
  return classifyActive(world, compiled, ledger, now)
}

/** The ledger's rollout is of this template and this workload, and under way. */
function classifyActive(world: TargetWorld, compiled: CompiledPolicy, ledger: Ledger, now: Instant): Situation {
  if (isAbortRequested(world.policy)) return { name: 'AbortRequested', world, compiled, ledger }
  if (ledger.phase === 'Aborted') return { name: 'Aborting', world, compiled, ledger }
  if (isFailureStillReported(world.workload)) return { name: 'FailureStillReported', world }
  return classifyRollout({ world, compiled, ledger }, now)
}

/** No rollout of this template is under way. */
function classifyHeld(world: TargetWorld, compiled: CompiledPolicy, now: Instant): Situation {
  const { policy, workload, templateHash } = world
  const ledger = policy.status?.rollout
  const isOff = isReleased(world) || policy.spec.suspend === true
  const isOfTemplate = ledger?.templateHash === templateHash
  const requested =
    ledger !== undefined && isOfTemplate && !isOff ? classifyRequested(world, compiled, ledger) : undefined
  if (requested !== undefined) return requested
  const hold = workload.metadata.labels?.[holdLabel]
  const resting = isOff || isActive(ledger) ? undefined : classifyGateAtRest(world)
  if (resting !== undefined) return resting
  if (hold === undefined) {
    if (!isActive(ledger)) return classifyResting(world)
    const isPrevious = isOfPreviousWorkload(ledger, workload)
    const reason = isPrevious ? whyPrevious(policy) : 'the gate was opened by another writer'
    return { name: 'OpenedByOther', world, ledger, reason }
  }
  if (hold === 'user-paused') return { name: 'PausedByOwner', world }
  if (isOff) return { name: 'HoldReleased', world }
  if (ledger?.phase === 'Aborted' && isOfTemplate) return classifyResting(world)
  return classifyTemplate(withPreviousEnded(world, compiled, now), compiled)
}

/** Where admission cannot hold templates, a workload without a rollout rests with its gate closed. */
function classifyGateAtRest(world: TargetWorld): Situation | undefined {
  const hold = world.workload.metadata.labels?.[holdLabel]
  if (world.gate.kind !== 'at-rest' || (hold !== undefined && hold !== 'gate')) return undefined
  const closed = closeAtRest(world)
  if (closed === undefined) return undefined
  return closed.patch === undefined ? classifyResting(world) : { name: 'RestingOpen', world, patch: closed.patch }
}

/** The last rollout has ended, and was of this template. */
function classifyRequested(world: TargetWorld, compiled: CompiledPolicy, ledger: Ledger): Situation | undefined {
  if (isRetryRequested(world.policy)) return { name: 'RetryRequested', world, compiled, ledger }
  if (isUndoRequested(world)) return { name: 'UndoRequested', world, ledger }
  if (ledger.undo !== undefined) return { name: 'Undoing', world, ledger }
  return undefined
}

function classifyResting(world: TargetWorld): Situation {
  const ledger = world.policy.status?.rollout
  if (ledger?.phase === 'Aborted') return { name: 'Aborted', world, ledger }
  if (world.policy.spec.suspend === true) return { name: 'Suspended', world }
  if (isReleased(world)) return { name: 'Released', world }
  const revision = bypassingRevision(world)
  return revision === undefined ? { name: 'AtRest', world } : { name: 'GateOpenToYou', world, revision }
}

/** A template is held for which no rollout has begun. */
function classifyTemplate(world: TargetWorld, compiled: CompiledPolicy): Situation {
  const { policy, workload, revisions, templateHash } = world
  const target = revisions.find((revision) => revision.templateHash === templateHash)
  if (target === undefined && workload.kind !== 'Deployment')
    return { name: 'AwaitingRevision', why: 'the new revision is not there yet' }
  const id = rolloutId(workload, templateHash)
  // Caches are filled independently, and only the history records a rollout that was reverted.
  if (isInHistory(policy, id))
    return { name: 'CacheBehind', why: 'the workload is not yet seen as the history knows it' }
  const before = policy.status?.rollout
  // Native controllers may have removed the pods of an unfinished rollout already: the ledger knows that there were some.
  const hasMoved = before !== undefined && before.phase !== 'Complete' && before.moved === true
  const template = {
    ...{ world, compiled, id, target, hasMoved },
    superseded: isActive(before) ? before : undefined,
    isReverted: target !== undefined && !hasMoved && isReverted(world, target),
    undoOf: undoneBy(policy, templateHash),
  }
  if (template.isReverted && template.undoOf === undefined) return { name: 'Reverted', template }
  return { name: template.superseded === undefined ? 'Starting' : 'Superseded', template }
}

function isInHistory({ status }: RolloutPolicy, id: string): boolean {
  return status?.history?.some((past) => past.id === id) === true
}

/** A rollout of the previous workload ended with it: none of its pods are left. */
function withPreviousEnded(world: TargetWorld, compiled: CompiledPolicy, now: Instant): TargetWorld {
  const { policy, workload } = world
  const { rollout, ...status } = policy.status ?? {}
  if (!isActive(rollout) || !isOfPreviousWorkload(rollout, workload)) return world
  const over = ended(rollout, 'Cancelled', now, whyPrevious(policy))
  const history = historyWith(policy, over, compiled.historyLimit)
  return { ...world, policy: { ...policy, status: { ...status, history } } }
}
