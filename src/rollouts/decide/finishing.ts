/** The end of a rollout: the gate opens, the native controller finishes, the ledger records that the rollout is complete. */
import type { Instant } from '../../runtime/index.ts'
import { ended, historyWith, wordOf } from '../ledger/index.ts'
import type { Ledger } from '../policy/types.ts'
import { strategyOf } from '../strategies/index.ts'
import { abort } from './abort.ts'
import { isStuck } from './deadline.ts'
import type { Proposal } from './decision.ts'
import { movingStatus } from './moving-to.ts'
import { rolloutStatus, wakeUp } from './rollout-status.ts'
import { type RolloutScene, type SituationOf, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'

/** The ledger records the opening before it happens: an engine that starts after a crash opens the gate again, which changes nothing. */
export function decideOpeningGate({ scene, group, isRecorded }: SituationOf<'OpeningGate'>): Proposal {
  const { ledger, view } = scene
  const gate = { kind: 'workload', patch: strategyOf(view.workload).open(view.saved) } as const
  if (isRecorded) return { gate, why: 'the gate is opened' }
  const why = 'every hook that had to hold the rollout has passed'
  const { waitingFor: _, ...rest } = ledger
  const next: Ledger = { ...rest, phase: 'Finishing', point: group?.name ?? '100%', moved: true }
  return { ledger: rolloutStatus(scene, next, why), gate, why }
}

export function decideFinishing({ scene, group }: SituationOf<'Finishing'>, now: Instant): Proposal {
  const stalled = decideStalled(scene, now)
  if (stalled !== undefined) return stalled
  if (group === undefined) {
    // A Deployment's own status says enough about its pods, and changes with each of them.
    const isSteady = scene.view.workload.kind === 'Deployment'
    return { ...wakeUp(scene), isSteady, why: 'the native controller finishes the rollout' }
  }
  const why = `${scene.progress.available} of ${group.pods} new pods are available`
  const isRecorded = scene.ledger.point === group.name && scene.ledger.waitingFor === undefined
  return { ...(isRecorded ? {} : { ledger: movingStatus(scene, group, why) }), ...wakeUp(scene), why }
}

/** The native controller reports that it has given up. That is recorded, and undone where the policy says so; it may still finish by itself. */
function decideStalled(scene: RolloutScene, now: Instant): Proposal | undefined {
  const { world, compiled, ledger } = scene
  const isRecorded = world.policy.status?.conditions?.find(({ type }) => type === 'Stalled')?.status === 'True'
  const why = 'the workload made no progress in time (progressDeadlineSeconds)'
  if (!isStuck(world.workload))
    return isRecorded ? { ledger: rolloutStatus(scene, ledger, 'it moves again'), why } : undefined
  if (compiled.onAbort === 'Undo' && ledger.undoOf === undefined) return abort(scene, why, now)
  if (isRecorded) return { why }
  const verdict = { state: 'stalled', reason: 'ProgressDeadlineExceeded', message: why } as const
  return { ledger: statusWith(world.policy, verdict, { rollout: ledger }, now), why }
}

export function decideCompleting({ scene }: SituationOf<'Completing'>, now: Instant): Proposal {
  const { world, ledger, compiled } = scene
  const message = `${wordOf(ledger)} to ${ledger.to} is complete`
  const rollout = ended(ledger, 'Complete', now, message)
  const history = historyWith(world.policy, rollout, compiled.historyLimit)
  return {
    ledger: statusWith(world.policy, verdictOf('Completing', message), { rollout, history }, now),
    events: [{ kind: 'event', type: 'Normal', reason: 'RolloutComplete', message, isRoutine: true }],
    why: message,
  }
}
