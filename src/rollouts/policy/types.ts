/**
 * The RolloutPolicy resource: what hooks run at which points of a workload's rollouts, and what became of them. The words are those of
 * deployment hooks (`lifecycle`) and of lifecycle hooks (`lifecycleHooks`); status holds the ledger of the rollout under way.
 */
import type { KubeObject } from '../../kube/index.ts'
import type { EnvVar, JobSpec } from './workload.ts'

export type TargetKind = 'Deployment' | 'StatefulSet' | 'DaemonSet'
/**
 * `UNDO` goes back to where a rollout came from that did not complete, `RESTART` changes nothing but the annotation of `kubectl rollout restart`,
 * and `CREATE` is the first one.
 */
export type RolloutType = 'ROLLOUT' | 'ROLLBACK' | 'UNDO' | 'RESTART' | 'CREATE'
/** `Continue` is another word for `Ignore`. */
export type FailurePolicy = 'Retry' | 'Abort' | 'Ignore' | 'Continue'
export type RetainPolicy = 'Always' | 'OnFailure' | 'Never'

export interface RolloutPolicy extends KubeObject {
  readonly spec: RolloutPolicySpec
  readonly status?: RolloutPolicyStatus
}

export interface RolloutPolicySpec {
  readonly targetRef: TargetRef
  readonly lifecycle?: Lifecycle
  readonly lifecycleHooks?: readonly LifecycleHook[]
  /** Rollouts in which hooks run that have no list of their own. @default ROLLOUT, ROLLBACK, RESTART */
  readonly rolloutTypes?: readonly RolloutType[]
  /**
   * What happens to the workload when a rollout is aborted: it stays where it is, or gets the template of the previous revision back
   * after the hooks for an abort have run. @default Hold
   */
  readonly onAbort?: 'Hold' | 'Undo'
  /** Leaves the workload alone: rollouts pass without hooks. @default false */
  readonly suspend?: boolean
  /** Ended rollouts kept in status. @default 5 */
  readonly historyLimit?: number
  /** Adds OPENSHIFT_DEPLOYMENT_NAME and OPENSHIFT_DEPLOYMENT_NAMESPACE to hook containers. @default false */
  readonly openshiftEnvironment?: boolean
}

export interface TargetRef {
  readonly apiVersion: 'apps/v1'
  readonly kind: TargetKind
  readonly name: string
}

export interface Lifecycle {
  readonly pre?: Handler
  /** Only with a Deployment of strategy Recreate: old pods are gone, no new one is there. */
  readonly mid?: Handler
  readonly post?: Handler
}

export interface Handler extends Action, AttemptLimits {
  readonly failurePolicy: FailurePolicy
}

export interface LifecycleHook extends Action, AttemptLimits {
  readonly name: string
  readonly trigger?: Trigger
  /** @default Abort */
  readonly failurePolicy?: FailurePolicy
  /** @default OnFailure */
  readonly retainPolicy?: RetainPolicy
  /** Rollouts this hook runs in. @default the policy's rolloutTypes */
  readonly rolloutTypes?: readonly RolloutType[]
  /** @deprecated The previous name of `rolloutTypes`: YAML reads a bare `on` as `true`. */
  readonly on?: readonly RolloutType[]
}

export type Trigger =
  | {
      readonly type?: 'ProgressAvailable'
      readonly progressAvailableParams: { readonly progressPoint: number | string }
    }
  | { readonly type: 'Aborted' }

/** Exactly one of them. */
export interface Action {
  readonly jobSpec?: JobSpec
  readonly execNewPod?: ExecNewPod
  readonly http?: HttpAction
  readonly approval?: Approval
}

export interface AttemptLimits {
  /** How often and how soon a failed hook is tried again, with policy Retry. */
  readonly retry?: { readonly limit?: number; readonly backoffSeconds?: number; readonly maxBackoffSeconds?: number }
  /** A run that takes longer has failed. */
  readonly timeoutSeconds?: number
}

export interface ExecNewPod {
  readonly containerName: string
  readonly command: readonly string[]
  readonly env?: readonly EnvVar[]
  /** Names of the template's volumes to mount as the container does. */
  readonly volumes?: readonly string[]
  /** Of the pod. Labels that tell which hook it belongs to cannot be replaced. */
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface HttpAction {
  readonly url: string
  /** @default POST */
  readonly method?: string
  readonly headers?: readonly HttpHeader[]
  /** Text in which `$(to)` and the like stand for facts of the rollout; without one, all of them as JSON. */
  readonly body?: string
  /** Status codes that mean success. @default any from 200 to 299 */
  readonly expect?: { readonly codes?: readonly number[] }
  readonly tls?: { readonly caBundle?: string; readonly insecureSkipVerify?: boolean }
}

export interface HttpHeader {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

export interface Approval {
  readonly message?: string
  /** Such as `1h30m`. */
  readonly timeout?: string
  /** What the end of the time means. @default Fail */
  readonly onTimeout?: 'Approve' | 'Fail'
}

export interface RolloutPolicyStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly PolicyCondition[]
  /** Which gate holds rollouts here. */
  readonly gate?: string
  /** The template of the workload that was seen last. */
  readonly template?: { readonly uid: string; readonly hash: string; readonly revision?: string }
  /** The rollout under way, or the last one while it is held. */
  readonly rollout?: Ledger
  /** Newest first. */
  readonly history?: readonly EndedRollout[]
}

export interface PolicyCondition {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled'
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

export type RolloutPhase = 'Pending' | 'Progressing' | 'Finishing' | 'Complete' | 'Aborted' | 'Cancelled'

/** Everything the engine must remember about one rollout; written before the first touch of the workload. */
export interface Ledger {
  /** Workload uid, target template hash and attempt: names of everything the rollout creates are derived from it. */
  readonly id: string
  readonly type: RolloutType
  readonly phase: RolloutPhase
  /** The point it is on its way to or waits at, for people to read. */
  readonly point?: string
  /** Names of the hooks it waits for, for people to read. */
  readonly waitingFor?: string
  /** Names of the revision objects; absent on a first rollout. */
  readonly from?: string
  readonly to: string
  readonly templateHash: string
  /** Which generation of the workload the last write was decided on; an engine with an older cache must not decide. */
  readonly workload?: { readonly uid: string; readonly generation: number }
  readonly startedAt: string
  readonly endedAt?: string
  readonly message?: string
  /** Pods may have changed since the last rollout that was completed. */
  readonly moved?: boolean
  /** Since when it has been on its way to the point. */
  readonly movingSince?: string
  /** The gate's fields as the user had them; put back at the end. */
  readonly saved?: Readonly<Record<string, unknown>>
  /** The revision whose template comes back after the abort; recorded before the template is touched. */
  readonly undo?: { readonly to: string; readonly templateHash: string }
  /** The rollout that this one takes back. It is not taken back itself when it is aborted. */
  readonly undoOf?: string
  readonly hooks: readonly HookRecord[]
}

/** `Ignored`: it failed, and its policy says that this does not matter. */
export type HookState = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Ignored' | 'Cancelled'

export interface HookRecord {
  readonly name: string
  /** As written: `50%`, `3`, `mid`, `Aborted`. */
  readonly point: string
  readonly state: HookState
  readonly attempts: number
  /** Attempts that Kubernetes ended, for the drain of a node for example: they do not count as attempts of the failure policy. */
  readonly disruptions?: number
  /** The engine that said it would start the attempt; no other one does before its time is over. */
  readonly starter?: string
  /** Of the attempt under way or the last one. */
  readonly object?: { readonly kind: string; readonly name: string; readonly uid?: string }
  readonly startedAt?: string
  readonly endedAt?: string
  readonly retryAt?: string
  /** Why the last attempt failed, as one word. */
  readonly reason?: string
  readonly message?: string
}

export interface EndedRollout {
  readonly id: string
  readonly type: RolloutType
  readonly phase: RolloutPhase
  readonly from?: string
  readonly to: string
  /** The rollout that this one took back. */
  readonly undoOf?: string
  readonly startedAt: string
  readonly endedAt: string
  readonly message?: string
  readonly hooks: readonly {
    readonly name: string
    readonly point: string
    readonly state: HookState
    readonly attempts: number
  }[]
}
