/**
 * What the engine has observed of one policy: its target, the revisions and pods of the target, and the runs of its hooks. Plain data, so that a
 * world can be printed, stored as JSON and decided about again. What this process did a moment ago is part of it.
 */
import type { HookObject, Observation } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import type { GateKind } from '../gate/kinds.ts'
import type { CompiledPolicy, PolicyProblem } from '../policy/compile.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

/** A ReplicaSet or a ControllerRevision. */
export interface Revision {
  readonly kind: 'ReplicaSet' | 'ControllerRevision'
  readonly name: string
  readonly uid: string
  /** Counts up with every rollout; 0 until the native controller has numbered it. */
  readonly number: number
  /** The number it had when it was created, where that is known although it was used again. */
  readonly firstNumber?: number
  readonly templateHash: string
  /** Without the annotation of `kubectl rollout restart`, where the template has it. */
  readonly hashWithoutRestart?: string
  readonly createdAt: Instant
  readonly annotations: Readonly<Record<string, string>>
  /** Whether it is a ReplicaSet that is hidden from the native controller. */
  readonly isHidden?: true
}

export interface PodState {
  readonly name: string
  readonly uid: string
  /** The uid of the ReplicaSet, or the name of the ControllerRevision. */
  readonly revision: string
  /** Since when it has been ready; undefined when it is not. */
  readonly readySince: Instant | undefined
  readonly isEnding: boolean
  readonly isFailed: boolean
}

/** Which gate there is, and what is wrong with it. */
export interface GateState {
  readonly kind: GateKind
  readonly problem: string | undefined
}

/** A run that the ledger has as running. */
export interface RunState {
  readonly observation: Observation
  /** When this process started it, if it did. */
  readonly startedHere?: Instant
}

export interface World {
  /** Which engine observes. */
  readonly engine: string
  readonly gate: GateState
  readonly policy: RolloutPolicy
  /** The policy's spec as the engine reads it. */
  readonly compiled: CompiledPolicy | { readonly problems: readonly PolicyProblem[] }
  readonly workload: Workload | undefined
  /** Of the workload's template. */
  readonly templateHash: string | undefined
  /** Without the annotation of `kubectl rollout restart`, where the template has it. */
  readonly hashWithoutRestart?: string
  /** The policy that the workload belongs to, when it is another one. */
  readonly owner: string | undefined
  readonly revisions: readonly Revision[]
  readonly pods: readonly PodState[]
  /** Every Job and pod of a hook of this policy, of any rollout, except those that are being removed. */
  readonly hookObjects: readonly HookObject[]
  /** By the name of the hook. */
  readonly runs: Readonly<Record<string, RunState>>
}
