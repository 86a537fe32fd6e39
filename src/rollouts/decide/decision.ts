/**
 * What to do next, as data. A decision has phases; the order in which they are written is fixed here once, so that a decision in another order
 * cannot be expressed. Each write is idempotent and carries the version or uid it was decided on where another writer may have been in between.
 */
import type { HookObject, Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import { holdLabel } from '../labels.ts'
import type { HookContext } from '../objects/hook-context.ts'
import type { Revision } from '../observe/index.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { HookRecord, RolloutPolicyStatus } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

/** The whole status of the policy. */
interface StatusWrite {
  readonly kind: 'status'
  readonly status: RolloutPolicyStatus
}

/** The whole list of the policy's finalizers. */
interface FinalizersWrite {
  readonly kind: 'finalizers'
  readonly finalizers: readonly string[]
}

/** Annotations of the policy that no open request or approval needs any more. */
export interface ClearRequests {
  readonly kind: 'clear-requests'
  readonly annotations: readonly string[]
}

export type PolicyWrite = StatusWrite | FinalizersWrite | ClearRequests

/** The ReplicaSet of the new template, with 0 replicas. */
export interface CreateRevision {
  readonly kind: 'create-revision'
  readonly name: string
  readonly isHidden?: true
}

export type RevisionWrite =
  /** Hides a ReplicaSet without replicas from the native controller, or shows it again. */
  | { readonly kind: 'hide' | 'unhide'; readonly revision: Revision }
  /** Deletes a hidden ReplicaSet for whose template the native controller has created another one. */
  | { readonly kind: 'delete-duplicate'; readonly revision: Revision }
  | {
      readonly kind: 'annotate-revision'
      readonly revision: Revision
      readonly annotations: Readonly<Record<string, string>>
    }

export type WorkloadWrite =
  /** A merge patch, at the version the workload was observed in. */
  | { readonly kind: 'workload'; readonly patch: object }
  /** The condition by which `kubectl rollout status` ends with an error. */
  | { readonly kind: 'report-failed'; readonly message: string; readonly at: Instant }
  /** Takes that condition back: the rollout is retried, or another one begins. */
  | { readonly kind: 'report-paused'; readonly at: Instant }
  /** The template of an earlier revision becomes that of the workload, with the gate closed. */
  | { readonly kind: 'restore-template'; readonly revision: Revision }

export interface StartHook {
  readonly kind: 'start-hook'
  readonly run: Run
  readonly hook: CompiledHook
  readonly context: HookContext
}

/** Ends a run and removes its object. */
export interface CancelHook {
  readonly kind: 'cancel-hook'
  readonly run: Run
}

/** Removes the object of a run that has ended. */
export interface RemoveHook {
  readonly kind: 'remove-hook'
  readonly run: Run
}

export interface PodDelete {
  readonly kind: 'delete-pod'
  readonly name: string
  readonly uid: string
}

/**
 * Objects of runs that the ledger has no use for: `remove-leftover` at once, `retire-leftover` when nothing more important is to be done, and
 * `remove-stray` of a rollout that is over, only while the stored ledger is the one that was decided on.
 */
export interface TidyWrite {
  readonly kind: 'remove-leftover' | 'retire-leftover' | 'remove-stray'
  readonly object: HookObject
}

export interface EventWrite {
  readonly kind: 'event'
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Recorded for the workload alone: the policy has it in its status. */
  readonly isRoutine?: true
}

export type HookWrite = StartHook | CancelHook | RemoveHook
export type Write =
  | PolicyWrite
  | CreateRevision
  | RevisionWrite
  | WorkloadWrite
  | HookWrite
  | PodDelete
  | TidyWrite
  | EventWrite

export type ObjectReference = NonNullable<HookRecord['object']>

/** In the order they are written. */
export interface Phases {
  /** Objects that must be gone on the server, too; otherwise nothing is written. */
  readonly gone: readonly ObjectReference[]
  /** The finalizer is added before anything of the workload is touched. */
  readonly adopt?: FinalizersWrite
  /** What native controllers may see, and annotations for readers. */
  readonly before: readonly RevisionWrite[]
  /** The ledger records what follows before it is done, so that an engine that starts after a crash does the same. */
  readonly ledger?: RolloutPolicyStatus
  readonly cancel: readonly CancelHook[]
  /** What the ledger has recorded about hooks and the rollout. */
  readonly events: readonly EventWrite[]
  readonly remove: readonly RemoveHook[]
  readonly create?: CreateRevision
  readonly start: readonly StartHook[]
  /** The new ReplicaSet is shown before the gate opens: without it the native controller would create another one. */
  readonly unhide: readonly RevisionWrite[]
  /** The one write of the workload. */
  readonly gate?: WorkloadWrite
  /** The other ReplicaSets are shown after the gate has opened: before, the native controller would scale one of them. */
  readonly after: readonly RevisionWrite[]
  readonly pods: readonly PodDelete[]
  /** What all the writes before have done. */
  readonly finalEvents: readonly EventWrite[]
  /** A ledger that is given up is written last, because until then it knows what to restore. */
  readonly finalLedger?: RolloutPolicyStatus
  readonly tidy: readonly TidyWrite[]
  /** The finalizer is removed when nothing is left to restore. */
  readonly release?: FinalizersWrite
  readonly requests?: ClearRequests
}

/**
 * What protects a decision from an engine with an outdated cache. `ledger-first`: the ledger is written first, at its version, and a
 * conflict stops everything after it. `reread`: the policy is read from the server and must have the version it was decided on. `versions`: the
 * version or uid that each write carries is enough.
 */
export type Guard = 'ledger-first' | 'reread' | 'versions'

export interface Decision extends Phases {
  readonly guard: Guard
  /** When to decide again although nothing has changed. */
  readonly wakeAt?: Instant
  /** Only a change of the policy, the workload or a hook's object can lead to another decision. */
  readonly isSteady?: boolean
  /** One sentence, for the debug log and `rollout explain`. */
  readonly why: string
}

/** A decision about one situation; what holds in every situation is added afterwards. */
export type Proposal = Partial<Phases> & Pick<Decision, 'wakeAt' | 'isSteady' | 'why'>

export const noPhases: Phases = {
  ...{ gone: [], before: [], cancel: [], events: [], remove: [], start: [], unhide: [], after: [] },
  ...{ pods: [], finalEvents: [], tidy: [] },
}

/** All writes in the order in which they are performed. */
export function writesOf(phases: Phases): readonly Write[] {
  const { ledger, finalLedger } = phases
  const statusOf = (status: RolloutPolicyStatus | undefined) =>
    status === undefined ? [] : [{ kind: 'status', status } as const]
  return [
    ...given(phases.adopt),
    ...phases.before,
    ...statusOf(ledger),
    ...phases.cancel,
    ...phases.events,
    ...phases.remove,
    ...given(phases.create),
    ...phases.start,
    ...phases.unhide,
    ...given(phases.gate),
    ...phases.after,
    ...phases.pods,
    ...phases.finalEvents,
    ...statusOf(finalLedger),
    ...phases.tidy,
    ...given(phases.release),
    ...given(phases.requests),
  ]
}

function given<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}

/** Changes of what the native controller sees, starts of hooks and openings must not be made by an engine that knows an old ledger. */
export function guardOf(phases: Phases, workload: Workload | undefined): Guard {
  const { ledger, finalLedger, gate } = phases
  if (phases.before.some(isVisibilityChange)) return 'reread'
  if (ledger !== undefined) return 'ledger-first'
  const isStray = ({ kind }: TidyWrite) => kind === 'remove-stray'
  const isRisky =
    phases.start.length > 0 ||
    [...phases.unhide, ...phases.after].length > 0 ||
    (finalLedger === undefined && phases.tidy.some(isStray)) ||
    (gate?.kind === 'workload' && (finalLedger !== undefined || isHeldAgain(gate.patch, workload)))
  return isRisky ? 'reread' : 'versions'
}

function isVisibilityChange({ kind }: RevisionWrite): boolean {
  return kind !== 'annotate-revision'
}

/** Another engine may have opened the gate; it updates the ledger before, so that the ledger says whether it is closed again. */
function isHeldAgain(patch: { readonly metadata?: { readonly labels?: object } }, workload?: Workload): boolean {
  const labels: Readonly<Record<string, unknown>> = { ...patch.metadata?.labels }
  return typeof labels[holdLabel] === 'string' && workload?.metadata.labels?.[holdLabel] === undefined
}
