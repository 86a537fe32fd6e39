/**
 * What a hook binds to, after reading: every default filled in, selectors as the API takes them, programs compiled. The engine sees only
 * these; how a hook wrote it down (v0, v1, YAML, JSON, a function's object) ends in this folder.
 */
import type { Program } from '../../../jq/program.ts'
import type { LabelSelector } from '../../../kube/label-selector.ts'

export type ConfigVersion = 'v0' | 'v1'

export interface HookConfig {
  readonly version: ConfigVersion
  /** The hook switched itself off: it has no bindings and never runs. */
  readonly disabled: boolean
  /** Order among the hooks that run at the start, ascending. */
  readonly onStartup?: number
  /** Orders of the bindings around modules, ascending. */
  readonly orders: Readonly<Partial<Record<OrderBinding, number>>>
  readonly schedules: readonly ScheduleBinding[]
  /** `kubernetes` of v1 and `onKubernetesEvent` of v0. */
  readonly kubernetes: readonly KubernetesBinding[]
  readonly validating: readonly AdmissionBinding[]
  readonly mutating: readonly AdmissionBinding[]
  readonly conversions: readonly ConversionBinding[]
  readonly settings: HookSettings
}

export type OrderBinding =
  | 'beforeAll'
  | 'afterAll'
  | 'beforeHelm'
  | 'afterHelm'
  | 'beforeDeleteHelm'
  | 'afterDeleteHelm'

export interface HookSettings {
  /** Milliseconds between two runs of the hook. @default 0, no limit */
  readonly executionMinInterval: number
  /** Runs that may follow each other at once. @default 1 */
  readonly executionBurst: number
}

interface SnapshotReader {
  /** Names of `kubernetes` bindings: what was written, and those of the same group. */
  readonly includeSnapshotsFrom: readonly string[]
  readonly group?: string
}

interface Queued extends SnapshotReader {
  /** Given as `binding` to the hook; several bindings may share one. */
  readonly name: string
  /** A failed run is let go instead of being repeated. */
  readonly allowFailure: boolean
  /** @default main */
  readonly queue: string
}

export interface ScheduleBinding extends Queued {
  /** Known to be valid. Parsed again where it is registered, because `@every` counts from there. */
  readonly crontab: string
}

export type WatchEvent = 'Added' | 'Modified' | 'Deleted'

export interface KubernetesBinding extends Queued {
  /** Narrows down which of several resources of that kind is meant. */
  readonly apiVersion?: string
  /** Kind, plural, singular or short name, in any case. */
  readonly kind: string
  /** Empty: the binding only collects a snapshot. */
  readonly executeHookOnEvent: readonly WatchEvent[]
  readonly executeHookOnSynchronization: boolean
  readonly waitForSynchronization: boolean
  readonly keepFullObjectsInMemory: boolean
  /** Only these names; undefined means all. */
  readonly names?: readonly string[]
  /** As the API takes it, `app=web,tier in (front)`. */
  readonly labelSelector?: string
  /** As the API takes it, `status.phase=Running`. */
  readonly fieldSelector?: string
  /** Cluster-scoped kinds ignore it. */
  readonly namespaces: NamespaceChoice
  readonly jqFilter?: Program
  /** v0: no debug lines about this binding. */
  readonly disableDebug: boolean
}

export type NamespaceChoice =
  | { readonly of: 'all' }
  /** May be empty: then nothing is watched. */
  | { readonly of: 'names'; readonly names: readonly string[] }
  /** Namespaces come and go with their labels. */
  | { readonly of: 'labels'; readonly selector: string }

export interface AdmissionRule {
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly operations: readonly string[]
  readonly resources: readonly string[]
  readonly scope?: string
}

export interface AdmissionBinding extends SnapshotReader {
  readonly name: string
  readonly rules: readonly AdmissionRule[]
  /** Undefined: what the operator was told. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly sideEffects: 'None' | 'NoneOnDryRun'
  readonly timeoutSeconds: number
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[]
  readonly objectSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
}

export interface ConversionBinding extends SnapshotReader {
  readonly name: string
  readonly crdName: string
  /** Versions are short (`v1`) or full (`group/v1`), as written. */
  readonly conversions: readonly { readonly fromVersion: string; readonly toVersion: string }[]
}
