/**
 * What to do next, as data: `plan` prints decisions, `simulate` performs them in virtual time, the crash matrix stops between two of
 * them. Every write is idempotent, and carries the version it was decided on where another writer could be in between.
 */
import type { HookObject, Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { Revision } from '../observe/world.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { HookRecord, RolloutPolicyStatus } from '../policy/types.ts'

export type Write =
  /** The whole status of the policy. */
  | { readonly kind: 'status'; readonly status: RolloutPolicyStatus }
  /** The whole list of the policy's finalizers. */
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }
  /** A merge patch of the workload, at the version it was seen in. */
  | { readonly kind: 'workload'; readonly patch: object }
  /** A condition of the workload's status that plain kubectl understands. */
  | { readonly kind: 'workload-failed'; readonly message: string; readonly at: Instant }
  /** That condition is taken back: what was aborted is tried again, or something else is. */
  | { readonly kind: 'workload-not-failed'; readonly at: Instant }
  /** The ReplicaSet of the new template, with 0 replicas. */
  | { readonly kind: 'create-revision'; readonly name: string; readonly isApart?: true }
  /** The native controller shall not see a ReplicaSet without replicas, or see it again. */
  | { readonly kind: 'set-apart' | 'bring-back'; readonly revision: Revision }
  /** A ReplicaSet apart for whose template the native controller has made another one. */
  | { readonly kind: 'remove-twin'; readonly revision: Revision }
  /** The template of an earlier revision becomes that of the workload, with the gate closed. */
  | { readonly kind: 'take-back'; readonly revision: Revision }
  | {
      readonly kind: 'annotate-revision'
      readonly revision: Revision
      readonly annotations: Readonly<Record<string, string>>
    }
  | { readonly kind: 'start-hook'; readonly run: Run; readonly hook: CompiledHook; readonly context: HookContext }
  | { readonly kind: 'cancel-hook'; readonly run: Run }
  | { readonly kind: 'remove-hook'; readonly run: Run }
  /** Nothing of the decision holds when this object is still there. */
  | { readonly kind: 'expect-gone'; readonly object: NonNullable<HookRecord['object']> }
  /** What carried out a run that the ledger has done with. */
  | { readonly kind: 'remove-leftover'; readonly object: HookObject }
  /** The same, where nothing is lost when it stays for some seconds more. */
  | { readonly kind: 'retire-leftover'; readonly object: HookObject }
  /** What carries out a run of a rollout that is over; only when the ledger is still the one that was decided on. */
  | { readonly kind: 'remove-stray'; readonly object: HookObject }
  /** Annotations of the policy that nothing waits for any more. */
  | { readonly kind: 'forget-answers'; readonly annotations: readonly string[] }
  | { readonly kind: 'delete-pod'; readonly name: string; readonly uid: string }
  | {
      readonly kind: 'event'
      readonly type: 'Normal' | 'Warning'
      readonly reason: string
      readonly message: string
      /** As it should be: it is said of the workload alone, for the policy has it in its status. */
      readonly isRoutine?: true
    }

/** What a hook is told about its rollout. */
export interface HookContext {
  readonly from: string | undefined
  readonly to: string
  /** Empty while the same decision makes it. */
  readonly toUid: string
  readonly toKind: 'ReplicaSet' | 'ControllerRevision'
  readonly type: 'ROLLOUT' | 'ROLLBACK' | 'CREATE'
  readonly rollout: string
}

export interface Decision {
  readonly writes: readonly Write[]
  /** When to look again although nothing changed. */
  readonly wakeAt?: Instant
  /** Nothing but a change of the policy or the workload can lead to another decision. */
  readonly standsStill?: boolean
  /** In a sentence, for `explain` and the log. */
  readonly why: string
}
