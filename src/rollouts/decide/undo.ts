/**
 * Taking a rollout back: the template of the revision it came from is put in place of its own, by the engine itself and behind a closed
 * gate. What follows is a rollout like any other, which remembers what it undoes, so that it is not undone in turn.
 */
import type { PatchOperation } from '../gate/gate.ts'
import { gatePatch } from '../gate/gate.ts'
import type { Revision, World } from '../observe/world.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import type { PodTemplate, Workload } from '../policy/workload.ts'
import type { Decision } from './decision.ts'

/** The revision to go back to; undefined when there is none or it has been pruned. */
export function undoTarget({ revisions }: World, { from }: Ledger): Revision | undefined {
  return from === undefined ? undefined : revisions.find(({ name }) => name === from)
}

/** The ledger with its way back. */
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

export function takeBack(world: World, ledger: Ledger): Decision {
  const target = world.revisions.find(({ name }) => name === ledger.undo?.to)
  if (target === undefined) return { writes: [], why: `revision ${ledger.undo?.to} is gone, nothing can be put back` }
  return {
    writes: [
      { kind: 'take-back', revision: target },
      { kind: 'event', type: 'Normal', reason: 'RolloutUndone', message: `back to ${target.name}` },
    ],
    why: `the template of ${target.name} is put back`,
  }
}

/** The patch that a person's write of this template would have become: the engine passes its own gate, and so closes it itself. */
export function templatePatch(workload: Workload, template: PodTemplate): readonly PatchOperation[] {
  const object = { ...workload, spec: { ...workload.spec, template } } as Workload
  return [
    { op: 'add', path: '/metadata/resourceVersion', value: workload.metadata.resourceVersion },
    { op: 'add', path: '/spec/template', value: template },
    ...gatePatch({ object, old: workload, byEngine: false }),
  ]
}
