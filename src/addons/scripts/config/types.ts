/**
 * Configurations of hooks after reading: defaults filled in, selectors in the API format, programs compiled. The engine uses only these
 * types, independent of the format (v0, v1, YAML, JSON, a function's object).
 */
import type { Program } from '../../../jq/index.ts'
import type { LabelSelector } from '../../../kube/index.ts'

export type ConfigVersion = 'v0' | 'v1'

export interface HookConfig {
  readonly version: ConfigVersion
  /** The hook has no bindings and never runs. */
  readonly disabled: boolean
  /** Order among the onStartup hooks, ascending. */
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
  /** Runs that may follow each other without the interval. @default 1 */
  readonly executionBurst: number
}

interface SnapshotReader {
  /** Names of `kubernetes` bindings: the configured ones and those of the same group. */
  readonly includeSnapshotsFrom: readonly string[]
  readonly group?: string
}

interface Queued extends SnapshotReader {
  /** The `binding` in contexts; several bindings may have the same name. */
  readonly name: string
  /** A failed run is not retried. */
  readonly allowFailure: boolean
  /** @default main */
  readonly queue: string
}

export interface ScheduleBinding extends Queued {
  /** Validated. Parsed again when it is registered, because `@every` counts from then. */
  readonly crontab: string
}

export type WatchEvent = 'Added' | 'Modified' | 'Deleted'

export interface KubernetesBinding extends Queued {
  /** Selects one of several resources with this kind. */
  readonly apiVersion?: string
  /** Kind, plural, singular or short name, in any case. */
  readonly kind: string
  /** Empty if the binding only provides a snapshot. */
  readonly executeHookOnEvent: readonly WatchEvent[]
  readonly executeHookOnSynchronization: boolean
  readonly waitForSynchronization: boolean
  readonly keepFullObjectsInMemory: boolean
  /** Only these names; undefined means all. */
  readonly names?: readonly string[]
  /** In the API format: `app=web,tier in (front)`. */
  readonly labelSelector?: string
  /** In the API format: `status.phase=Running`. */
  readonly fieldSelector?: string
  /** Ignored for cluster-scoped kinds. */
  readonly namespaces: NamespaceChoice
  readonly jqFilter?: Program
  /** v0: disables debug log lines of this binding. */
  readonly disableDebug: boolean
}

export type NamespaceChoice =
  | { readonly of: 'all' }
  /** May be empty: nothing is watched then. */
  | { readonly of: 'names'; readonly names: readonly string[] }
  /** Namespaces are selected by their current labels. */
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
  /** @default the setting of the operator */
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
  /** Versions as written: short (`v1`) or with group (`group/v1`). */
  readonly conversions: readonly { readonly fromVersion: string; readonly toVersion: string }[]
}
