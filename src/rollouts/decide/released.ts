/** No hook is to run: the workload goes to its native controller as its owner wants it. */
import type { Instant } from '../../runtime/index.ts'
import { cancelHooks, ended, historyWith, savedOf } from '../ledger/index.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Proposal, WorkloadWrite } from './decision.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'
import type { TargetWorld } from './target-world.ts'

export function decideRolloutReleased(
  { world, ledger, reason }: SituationOf<'RolloutReleased'>,
  now: Instant,
): Proposal {
  const { policy, workload } = world
  const rollout = ended(ledger, 'Cancelled', now, reason)
  const history = historyWith(policy, rollout, policy.spec.historyLimit ?? 5)
  return {
    cancel: cancelHooks(workload, ledger),
    gate: opening(world),
    finalLedger: statusWith(policy, verdictOf('RolloutReleased', reason), { rollout, history }, now),
    why: reason,
  }
}

export function decideHoldReleased({ world }: SituationOf<'HoldReleased'>): Proposal {
  return { gate: opening(world), why: 'the gate is opened without hooks' }
}

function opening({ policy, workload }: TargetWorld): WorkloadWrite {
  return { kind: 'workload', patch: strategyOf(workload).open(savedOf(policy.status?.rollout, workload)) }
}
