/** On the way to a point: the strategy lets the native controller replace as many pods as the point allows, and no more. */
import { canonicalJson, type Instant } from '../../runtime/index.ts'
import { timeText } from '../ledger/index.ts'
import type { PodState } from '../observe/index.ts'
import type { HookGroup } from '../points/hook-groups.ts'
import type { Ledger, RolloutPolicyStatus } from '../policy/types.ts'
import { strategyOf } from '../strategies/index.ts'
import { abort } from './abort.ts'
import { progressDeadline } from './deadline.ts'
import type { PodDelete, Proposal } from './decision.ts'
import { rolloutStatus, wakeUp } from './rollout-status.ts'
import type { RolloutScene, SituationOf } from './situation.ts'

export function decideMovingTo({ scene, group }: SituationOf<'MovingTo'>, now: Instant): Proposal {
  const { view, ledger, progress } = scene
  const deadline = progressDeadline(view, ledger)
  if (deadline !== undefined && deadline <= now && ledger.point === group.name) {
    const reason = `on the way to ${group.name} no new pod became available in time (progressDeadlineSeconds)`
    return abort(scene, reason, now)
  }
  const step = strategyOf(view.workload).advance(view, group.pods)
  const why = `on the way to ${group.name}: ${progress.available} of ${group.pods} new pods are available`
  const isRecorded = ledger.phase !== 'Pending' && ledger.point === group.name && isSame(ledger.saved, view.saved)
  return {
    ...(isRecorded ? {} : { ledger: movingStatus(scene, group, why) }),
    ...(step.do === 'patch' ? { gate: { kind: 'workload', patch: step.patch } } : {}),
    ...(step.do === 'delete' ? { pods: step.pods.map(deletionOf) } : {}),
    ...wakeUp(scene, deadline),
    why,
  }
}

/** The ledger records that pods may have changed, and the owner's fields: the first step would overwrite what the owner has changed before. */
export function movingStatus(scene: RolloutScene, group: HookGroup, message: string): RolloutPolicyStatus {
  const { waitingFor: _, ...ledger } = scene.ledger
  const next: Ledger = {
    ...ledger,
    phase: ledger.phase === 'Finishing' ? 'Finishing' : 'Progressing',
    point: group.name,
    saved: scene.view.saved,
    moved: true,
    movingSince: timeText(scene.view.now),
  }
  return rolloutStatus(scene, next, message)
}

export function deletionOf({ name, uid }: PodState): PodDelete {
  return { kind: 'delete-pod', name, uid }
}

export function decideLoweringAllowance({ group, patch }: SituationOf<'LoweringAllowance'>): Proposal {
  return { gate: { kind: 'workload', patch }, why: `${group.name} is ${group.pods} new pods now` }
}

/** With the strategy Recreate, between the last old pod and the first new one. */
export function decideDraining({ scene, group }: SituationOf<'Draining'>): Proposal {
  const { view, ledger } = scene
  const step = strategyOf(view.workload).empty?.(view)
  const why = 'on the way to mid: the old pods end'
  if (step?.do !== 'patch') return { why }
  const next: Ledger = { ...ledger, phase: 'Progressing', point: group.name, saved: step.saved, moved: true }
  return { ledger: rolloutStatus(scene, next, why), gate: { kind: 'workload', patch: step.patch }, why }
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}
