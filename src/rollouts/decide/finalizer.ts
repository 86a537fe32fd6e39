/**
 * A policy has a finalizer from its first touch of the workload until it has restored the workload: without the ledger, the owner's fields would
 * be lost and the gate would stay closed.
 */
import { openLabels } from '../gate/pending-edits.ts'
import { holdLabel, optInLabel } from '../labels.ts'
import { cancelHooks, isActive, savedOf } from '../ledger/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Proposal } from './decision.ts'
import type { SituationOf } from './situation.ts'

export const finalizer = 'carabiner.dev/rollouts'

export function hasFinalizer({ metadata }: RolloutPolicy): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

export function decideNotAdopted({ world: { policy, workload } }: SituationOf<'NotAdopted'>): Proposal {
  const { name, finalizers = [] } = policy.metadata
  const isLabelled = workload.metadata.labels?.[optInLabel] === name
  return {
    ...(hasFinalizer(policy) ? {} : { adopt: { kind: 'finalizers', finalizers: [...finalizers, finalizer] } }),
    ...(isLabelled ? {} : { gate: { kind: 'workload', patch: { metadata: { labels: { [optInLabel]: name } } } } }),
    why: `${workload.kind} is opted in`,
  }
}

export function decideDeleted({ world: { policy, workload } }: SituationOf<'Deleted'>): Proposal {
  const why = 'the policy is being deleted'
  if (!hasFinalizer(policy)) return { why }
  const ledger = policy.status?.rollout
  const isOurs = workload?.metadata.labels?.[optInLabel] === policy.metadata.name
  const rest = (policy.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return {
    cancel: isActive(ledger) ? cancelHooks(workload, ledger) : [],
    ...(isOurs ? { gate: { kind: 'workload', patch: restored(policy, workload) } } : {}),
    release: { kind: 'finalizers', finalizers: rest },
    why,
  }
}

function restored(policy: RolloutPolicy, workload: Workload): object {
  const hold = workload.metadata.labels?.[holdLabel]
  const metadata = { labels: { ...openLabels, [optInLabel]: null } }
  // A workload that its owner has paused stays paused.
  if (hold === undefined || hold === 'user-paused') return { metadata }
  return { ...strategyOf(workload).open(savedOf(policy.status?.rollout, workload)), metadata }
}
