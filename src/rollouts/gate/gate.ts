/**
 * What the gate does to a write, as one decision: *close* when the template of an opted-in workload changes, *pin* when a client other than the
 * engine touches a closed one. The webhook answers with it; the admission policies say the same in CEL, and a test holds them together.
 */
import { canonicalJson } from '../../runtime/index.ts'
import { type Hold, holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import type { Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { closedPartition, editableFields, editPrefix, editText, partitionEdit } from './pending-edits.ts'

export interface Review {
  readonly object: Workload
  /** Absent when the object is being created. */
  readonly old: Workload | undefined
  /** Whether the engine itself writes. */
  readonly byEngine: boolean
}

export interface PatchOperation {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

/** What must be changed in the object before it is stored; empty when it may pass as it is. */
export function gatePatch(review: Review): readonly PatchOperation[] {
  const { object, old } = review
  if (isPassedBy(review)) return []
  const held = old === undefined ? undefined : labelOf(old, holdLabel)
  if (held !== undefined && old !== undefined) return pin(object, old, held as Hold)
  const policy = labelOf(object, optInLabel) ?? (old && labelOf(old, optInLabel))
  if (policy === undefined || !isTemplateChanged(object, old)) return []
  return close(object, old)
}

/** Writes of the engine and of released workloads pass. */
export function isPassedBy({ object, byEngine }: Review): boolean {
  return byEngine || labelOf(object, releaseLabel) === 'true'
}

/** Pods of a new StatefulSet or DaemonSet are made at once, and OnDelete never rolls by itself: neither can be held. */
function close(object: Workload, old: Workload | undefined): readonly PatchOperation[] {
  switch (object.kind) {
    case 'Deployment': {
      const wasPaused = (old as Deployment | undefined)?.spec.paused === true
      return [...labels(object, { [holdLabel]: wasPaused ? 'user-paused' : 'gate' }), add('/spec/paused', true)]
    }
    case 'StatefulSet': {
      if (old === undefined || rollsByHand(object)) return []
      const rollingUpdate = (object as StatefulSet).spec.updateStrategy?.rollingUpdate ?? {}
      const { partition = 0 } = rollingUpdate
      // Asked a second time about the same write, the partition is ours and the label has been set.
      const own = partition === 0 || partition === closedPartition ? {} : editLabel(partitionEdit.name, partition)
      return [
        ...labels(object, { [holdLabel]: 'gate', ...own }),
        add('/spec/updateStrategy', {
          type: 'RollingUpdate',
          rollingUpdate: { ...rollingUpdate, partition: closedPartition },
        }),
      ]
    }
    case 'DaemonSet':
      if (old === undefined || rollsByHand(object) || surges(object)) return []
      return [...labels(object, { [holdLabel]: 'gate' }), add('/spec/updateStrategy/type', 'OnDelete')]
    default:
      return []
  }
}

function pin(object: Workload, old: Workload, held: Hold): readonly PatchOperation[] {
  const policy = labelOf(old, optInLabel)
  // An owner who resumes a paused workload starts the rollout: from then on the gate is ours. Asked a second time about the same
  // write, the object is paused already and its label tells what was found the first time.
  const isResumed = (object as Deployment).spec.paused !== true || labelOf(object, holdLabel) === 'gate'
  const resumed = held === 'user-paused' && isResumed
  const hold: Hold = resumed ? 'gate' : held
  const kept = labels(object, {
    [holdLabel]: hold,
    ...(policy === undefined ? {} : { [optInLabel]: policy }),
    ...savedEdits(object, old, held),
  })
  const before = held === 'step' && isTemplateChanged(object, old) ? stopped(old) : old
  const fields = pinnedFields(object.kind, held)
  return [
    ...kept,
    ...fields
      .filter((path) => !same(read(object, path), read(before, path)))
      .map((path) => add(path, read(before, path))),
  ]
}

/** What the write wants of fields that are pinned; what was wanted before stays wanted. */
function savedEdits(object: Workload, old: Workload, held: Hold): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, path, absent, own } of editableFields(object.kind, held)) {
    const [wanted, before] = [object, old].map((one) => valueAt(one, path) ?? absent)
    if (wanted !== undefined && wanted !== own && !same(wanted, before)) Object.assign(found, editLabel(name, wanted))
    else if (labelOf(old, editPrefix + name) !== undefined && labelOf(object, editPrefix + name) === undefined)
      found[editPrefix + name] = labelOf(old, editPrefix + name) ?? ''
  }
  return found
}

function editLabel(name: string, value: unknown): Readonly<Record<string, string>> {
  return { [editPrefix + name]: editText(value) }
}

/** A gate that is open up to a point is shut for a template that comes meanwhile; its label stays, as the engine's fields do. */
function stopped(workload: Workload): Workload {
  const { spec } = workload
  if (workload.kind === 'Deployment') return { ...workload, spec: { ...spec, paused: true } } as Workload
  if (workload.kind !== 'StatefulSet') return workload
  const { updateStrategy } = (workload as StatefulSet).spec
  const rollingUpdate = { ...updateStrategy?.rollingUpdate, partition: closedPartition }
  return { ...workload, spec: { ...spec, updateStrategy: { ...updateStrategy, rollingUpdate } } } as Workload
}

/** The fields that hold the gate; while the engine steps through a Deployment there are more of them. */
export function pinnedFields(kind: string, hold: Hold): readonly string[] {
  if (kind === 'StatefulSet') return ['/spec/updateStrategy']
  if (kind === 'DaemonSet') return ['/spec/updateStrategy/type']
  if (hold === 'mid') return ['/spec/paused', '/spec/replicas']
  if (hold !== 'step') return ['/spec/paused']
  return ['/spec/paused', '/spec/minReadySeconds', '/spec/progressDeadlineSeconds', '/spec/strategy']
}

export function isTemplateChanged(object: Workload, old: Workload | undefined): boolean {
  return old === undefined || !same(object.spec.template, old.spec.template)
}

/** A StatefulSet or DaemonSet whose owner deletes pods to get new ones. */
export function rollsByHand({ spec }: Workload): boolean {
  return (spec as StatefulSet['spec']).updateStrategy?.type === 'OnDelete'
}

/** A DaemonSet that starts new pods before old ones end cannot be held by OnDelete, which ends the newer of two. */
export function surges({ spec }: Workload): boolean {
  const surge = (spec as { updateStrategy?: { rollingUpdate?: { maxSurge?: number | string } } }).updateStrategy
    ?.rollingUpdate?.maxSurge
  return surge !== undefined && surge !== 0 && surge !== '0%' && surge !== '0'
}

function labels(object: Workload, wanted: Readonly<Record<string, string>>): readonly PatchOperation[] {
  const missing = Object.entries(wanted).filter(([name, value]) => labelOf(object, name) !== value)
  if (missing.length === 0) return []
  return [add('/metadata/labels', { ...object.metadata.labels, ...Object.fromEntries(missing) })]
}

function labelOf({ metadata }: Workload, name: string): string | undefined {
  return metadata.labels?.[name]
}

function read(object: Workload, path: string): unknown {
  return valueAt(object, path.split('/').slice(1)) ?? absentValues[path]
}

function valueAt(object: Workload, path: readonly string[]): unknown {
  let value: unknown = object
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key]
  return value
}

/** What an absent field means, so that putting it back needs no second kind of operation. */
const absentValues: Readonly<Record<string, unknown>> = { '/spec/paused': false, '/spec/minReadySeconds': 0 }

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

function add(path: string, value: unknown): PatchOperation {
  return { op: 'add', path, value }
}
