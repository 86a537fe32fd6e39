/**
 * Which of two revisions came first, and so whether a rollout goes forward or back. Objects tell their age in whole seconds and their
 * numbers change when they are used again; what the policy has seen itself and what ReplicaSets remember of their numbers is exact.
 */

import type { Revision } from '../observe/world.ts'
import type { EndedRollout, RolloutType } from '../policy/types.ts'

/** What the policy has seen, newest first. */
type History = readonly Pick<EndedRollout, 'from' | 'to'>[]

export function typeOf(history: History, from: Revision | undefined, target: Revision | undefined): RolloutType {
  if (from === undefined) return 'CREATE'
  // A revision that is still to be made is newer than every other.
  return target !== undefined && isOlder(history, target, from) ? 'ROLLBACK' : 'ROLLOUT'
}

function isOlder(history: History, a: Revision, b: Revision): boolean {
  // The first rollout between the two went from the older to the newer.
  const first = history.findLast(
    ({ from, to }) => (from === a.name && to === b.name) || (from === b.name && to === a.name),
  )
  if (first !== undefined) return first.from === a.name
  if (a.firstNumber !== undefined && b.firstNumber !== undefined) return a.firstNumber < b.firstNumber
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt
  return a.number < b.number
}
