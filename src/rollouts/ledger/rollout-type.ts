/**
 * Which of two revisions is older, and so whether a rollout is a ROLLOUT or a ROLLBACK. Creation times are whole seconds, and the number of a
 * revision changes when it is used again; the policy's history and the first number in a ReplicaSet's annotations are exact.
 */

import type { Revision } from '../observe/world.ts'
import type { EndedRollout, RolloutType } from '../policy/types.ts'

/** Newest first. */
type History = readonly Pick<EndedRollout, 'from' | 'to'>[]

export function typeOf(history: History, from: Revision | undefined, target: Revision | undefined): RolloutType {
  if (from === undefined) return 'CREATE'
  // A revision that does not exist yet is newer than every other.
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
