/**
 * What type a rollout has. Which of two revisions is older decides between ROLLOUT and ROLLBACK. Creation times are whole seconds, and the number of a
 * revision changes when it is used again; the policy's history and the first number in a ReplicaSet's annotations are exact.
 */

import { isSameButRestart, type TemplateIdentity } from '../objects/template-hash.ts'
import type { Revision } from '../observe/world.ts'
import type { EndedRollout, Ledger, RolloutType } from '../policy/types.ts'
import { isUnfinished } from './ledger.ts'

/** Newest first. */
type History = readonly Pick<EndedRollout, 'from' | 'to'>[]

/** A template that is to be rolled out, and what came before. */
export interface TemplateChange {
  readonly template: TemplateIdentity
  /** The revision of the template, if it exists. */
  readonly target: Revision | undefined
  readonly from: Revision | undefined
  /** The rollout under way, or the last one. */
  readonly before: Ledger | undefined
  readonly history: History
}

export function typeOf({ template, target, from, before, history }: TemplateChange): RolloutType {
  if (from === undefined) return 'CREATE'
  if (isWayBack(before, target)) return 'UNDO'
  // A revision that does not exist yet is newer than every other.
  if (target !== undefined && isOlder(history, target, from)) return 'ROLLBACK'
  return isSameButRestart(template, from) ? 'RESTART' : 'ROLLOUT'
}

/**
 * Whether the revision is where the unfinished rollout came from: it has run before, with its hooks. An undo came from a revision of which that is
 * not known.
 */
export function isWayBack(before: Ledger | undefined, target: Revision | undefined): boolean {
  return isUnfinished(before) && before.type !== 'UNDO' && target !== undefined && before.from === target.name
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
