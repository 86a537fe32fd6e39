/**
 * A workload that was deleted and created again is another one. The rollout of the previous one is over: its pods, revisions and hooks were
 * deleted with it.
 */
import { isActive } from '../ledger/index.ts'
import type { World } from '../observe/index.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

export function isOfPreviousWorkload({ workload: seen }: Ledger, { metadata }: Workload): boolean {
  return seen !== undefined && seen.uid !== metadata.uid
}

/** An aborted rollout of the previous workload cannot be retried or undone, and is no reason to hold this one; the history has it. */
export function ignoringPreviousWorkload(world: World): World {
  const { policy, workload } = world
  const rollout = policy.status?.rollout
  const isOver = rollout?.phase === 'Aborted' && !isActive(rollout)
  if (!isOver || workload === undefined || !isOfPreviousWorkload(rollout, workload)) return world
  // The copy parses the history, which is text until it is read: worlds are made dozens of times in a rollout, and this case is rare.
  const { rollout: _, ...status } = policy.status ?? {}
  return { ...world, policy: { ...policy, status } }
}

export function whyPrevious({ spec: { targetRef } }: RolloutPolicy): string {
  return `${targetRef.kind} ${targetRef.name} was deleted and created again`
}
