/**
 * An undo gives the workload the template of the revision that the rollout came from, with the gate closed. What follows is a rollout like any
 * other; its ledger records what it undoes, so that it is not undone in turn.
 */
import type { Revision, World } from '../observe/index.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Proposal } from './decision.ts'
import type { SituationOf } from './situation.ts'

/** The revision to go back to; undefined when there is none or it has been pruned. An undo does not go back to what failed. */
export function undoTarget({ revisions }: World, { from, type }: Ledger): Revision | undefined {
  return from === undefined || type === 'UNDO' ? undefined : revisions.find(({ name }) => name === from)
}

/** The ledger with the way back. */
export function withUndo(world: World, ledger: Ledger): Ledger {
  const target = undoTarget(world, ledger)
  if (target === undefined) return ledger
  return { ...ledger, undo: { to: target.name, templateHash: target.templateHash } }
}

/** The rollout whose recorded way back leads to this template. */
export function undoneBy({ status }: RolloutPolicy, hash: string): string | undefined {
  const ledger = status?.rollout
  return ledger?.undo?.templateHash === hash ? ledger.id : undefined
}

export function decideUndoing({ world, ledger }: SituationOf<'Undoing'>): Proposal {
  const target = world.revisions.find(({ name }) => name === ledger.undo?.to)
  if (target === undefined) return { why: `revision ${ledger.undo?.to} is gone, nothing can be put back` }
  return {
    gate: { kind: 'restore-template', revision: target },
    finalEvents: [{ kind: 'event', type: 'Normal', reason: 'RolloutUndone', message: `back to ${target.name}` }],
    why: `the template of ${target.name} is put back`,
  }
}
