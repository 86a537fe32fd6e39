/**
 * What the owner of a held workload writes into fields that the gate has for itself. The write is not lost: the gate keeps the value in a
 * label, which survives an undo, and the engine puts it in force when it lets go. Both forms of the gate read this one table.
 */
import { type Hold, holdLabel } from '../labels.ts'
import type { Workload } from '../policy/workload.ts'

interface EditableField {
  readonly name: string
  readonly path: readonly string[]
  /** What an absent field means, where it means something. */
  readonly absent?: number
  /** The gate's own value, which it finds when it is asked a second time about the same write. */
  readonly own?: number
}

/** The partition of a closed gate, above every pod. */
export const closedPartition = 2_147_483_647

export const editPrefix = 'want.carabiner.dev/'

const ofSteps: readonly EditableField[] = [
  { name: 'minReadySeconds', path: ['spec', 'minReadySeconds'], absent: 0 },
  { name: 'progressDeadlineSeconds', path: ['spec', 'progressDeadlineSeconds'] },
  { name: 'strategy', path: ['spec', 'strategy', 'type'] },
  { name: 'maxSurge', path: ['spec', 'strategy', 'rollingUpdate', 'maxSurge'] },
  { name: 'maxUnavailable', path: ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable'] },
]
const ofMid: readonly EditableField[] = [{ name: 'replicas', path: ['spec', 'replicas'] }]
export const partitionEdit: EditableField = {
  name: 'partition',
  path: ['spec', 'updateStrategy', 'rollingUpdate', 'partition'],
  absent: 0,
  own: closedPartition,
}

/** The fields whose edits are saved while the gate is held so. */
export function editableFields(kind: string, hold: Hold): readonly EditableField[] {
  if (kind === 'StatefulSet') return [partitionEdit]
  if (kind !== 'Deployment') return []
  if (hold === 'step') return ofSteps
  return hold === 'mid' ? ofMid : []
}

/** Labels know no percent sign. */
export function editText(value: unknown): string {
  return String(value).replaceAll('%', 'pct')
}

/** What is wanted, by name: numbers, percentages such as `25%`, and words. */
export function pendingEditsOf({ metadata }: Workload): Readonly<Record<string, number | string>> {
  const found: Record<string, number | string> = {}
  for (const [label, text] of Object.entries(metadata.labels ?? {})) {
    if (!label.startsWith(editPrefix)) continue
    const value = text.replace(/pct$/, '%')
    found[label.slice(editPrefix.length)] = /^\d+$/.test(value) ? Number(value) : value
  }
  return found
}

/** For a merge patch: the gate is open, and no edit is pending any more. */
export const openLabels: Readonly<Record<string, null>> = Object.fromEntries(
  [holdLabel, ...[...ofSteps, ...ofMid, partitionEdit].map(({ name }) => editPrefix + name)].map((name) => [
    name,
    null,
  ]),
)
