/**
 * A policy that is being deleted gives its workload back as its owner had it. The finalizer keeps the ledger until then: without it
 * nobody would know what to put back, and the gate would stay shut for ever.
 */
import { openLabels } from '../gate/wishes.ts'
import { holdLabel, optInLabel } from '../labels.ts'
import { isActive } from '../ledger/ledger.ts'
import { savedOf } from '../ledger/saved-fields.ts'
import type { World } from '../observe/world.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import { cancelHooks } from './cancel.ts'
import type { Decision, Write } from './decision.ts'

export const finalizer = 'carabiner.dev/rollouts'

/** Whether the policy stays until what it holds is given back. */
export function isKept({ metadata }: RolloutPolicy): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

export function optIn({ policy, workload }: World): Decision {
  const { name, finalizers = [] } = policy.metadata
  const writes: Write[] = []
  if (!isKept(policy)) writes.push({ kind: 'finalizers', finalizers: [...finalizers, finalizer] })
  if (workload?.metadata.labels?.[optInLabel] !== name)
    writes.push({ kind: 'workload', patch: { metadata: { labels: { [optInLabel]: name } } } })
  return { writes, why: `${workload?.kind} is opted in` }
}

export function release(world: World): Decision {
  const { policy, workload } = world
  const finalizers = policy.metadata.finalizers ?? []
  const why = 'the policy is being deleted'
  if (!isKept(policy)) return { writes: [], why }
  const ledger = policy.status?.rollout
  const cancels = isActive(ledger) ? cancelHooks(world, ledger) : []
  const isOurs = workload?.metadata.labels?.[optInLabel] === policy.metadata.name
  const given: Write[] = isOurs ? [{ kind: 'workload', patch: givenBack(policy, workload) }] : []
  const rest = finalizers.filter((name) => name !== finalizer)
  return { writes: [...cancels, ...given, { kind: 'finalizers', finalizers: rest }], why }
}

function givenBack(policy: RolloutPolicy, workload: Workload): object {
  const hold = workload.metadata.labels?.[holdLabel]
  const metadata = { labels: { ...openLabels, [optInLabel]: null } }
  // What its owner has paused stays paused.
  if (hold === undefined || hold === 'user-paused') return { metadata }
  return { ...strategyOf(workload).open(savedOf(policy, workload)), metadata }
}
