/**
 * What the engine sees of one policy before it decides: its target, the revisions and pods of it, and the runs of its hooks. Everything
 * comes from caches.
 */
import type { HookObject, Observation, Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { GateKind } from '../gate/kinds.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

/** A ReplicaSet or a ControllerRevision. */
export interface Revision {
  readonly kind: 'ReplicaSet' | 'ControllerRevision'
  readonly name: string
  readonly uid: string
  /** Counts up with every rollout; 0 while nobody has numbered it yet. */
  readonly number: number
  /** The number it had at first, where that is known although it was used again. */
  readonly firstNumber?: number
  readonly templateHash: string
  readonly createdAt: Instant
  readonly annotations: Readonly<Record<string, string>>
  /** Whether it is a ReplicaSet that the native controller does not see. */
  readonly isApart?: true
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

export interface World {
  readonly gate: GateState
  readonly policy: RolloutPolicy
  readonly workload: Workload | undefined
  /** Of the workload's template. */
  readonly templateHash: string | undefined
  /** The policy that has the workload, when it is another one. */
  readonly owner: string | undefined
  readonly revisions: readonly Revision[]
  readonly pods: readonly PodState[]
  /** Every Job and pod of a hook of this policy, whatever rollout it belongs to, but for those on their way out. */
  readonly hookObjects: readonly HookObject[]
  observe(run: Run): Observation
  /** The engine that looks. */
  readonly engine: string
  /** When this engine started the run, if it did. */
  startedHere(run: Run): Instant | undefined
}
