/** The configuration of a hook as a function: version v1, with the fields of the YAML format. */
import type { LabelSelector } from '../../../kube/index.ts'
import type { AdmissionRule, WatchEvent } from '../config/types.ts'

export interface HookConfiguration {
  readonly configVersion?: 'v1'
  /** Disables the hook. */
  readonly disabled?: boolean
  /** Order among the onStartup hooks. */
  readonly onStartup?: number
  readonly schedule?: readonly ScheduleConfiguration[]
  readonly kubernetes?: readonly KubernetesConfiguration[]
  readonly kubernetesValidating?: readonly AdmissionConfiguration[]
  readonly kubernetesMutating?: readonly AdmissionConfiguration[]
  readonly kubernetesCustomResourceConversion?: readonly ConversionConfiguration[]
  readonly settings?: { readonly executionMinInterval: string; readonly executionBurst?: number }
}

interface Included {
  readonly includeSnapshotsFrom?: readonly string[]
  readonly group?: string
}

interface Queued extends Included {
  readonly name?: string
  /** @default main */
  readonly queue?: string
  /** @default false */
  readonly allowFailure?: boolean
}

export interface ScheduleConfiguration extends Queued {
  readonly crontab: string
}

export interface KubernetesConfiguration extends Queued {
  readonly apiVersion?: string
  readonly kind: string
  /** @default all three */
  readonly executeHookOnEvent?: readonly WatchEvent[]
  /** @default true */
  readonly executeHookOnSynchronization?: boolean
  /** @default true */
  readonly waitForSynchronization?: boolean
  /** @default true */
  readonly keepFullObjectsInMemory?: boolean
  readonly nameSelector?: { readonly matchNames: readonly string[] }
  readonly labelSelector?: LabelSelector
  readonly fieldSelector?: {
    readonly matchExpressions: readonly {
      readonly field: string
      readonly operator: '=' | '==' | 'Equals' | '!=' | 'NotEquals'
      readonly value: string
    }[]
  }
  readonly namespace?: {
    readonly nameSelector?: { readonly matchNames: readonly string[] }
    readonly labelSelector?: LabelSelector
  }
  readonly jqFilter?: string
}

export interface AdmissionConfiguration extends Included {
  readonly name: string
  readonly rules: readonly AdmissionRule[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly sideEffects?: 'None' | 'NoneOnDryRun'
  readonly timeoutSeconds?: number
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  readonly labelSelector?: LabelSelector
  readonly namespace?: { readonly labelSelector: LabelSelector }
}

export interface ConversionConfiguration extends Included {
  readonly name?: string
  readonly crdName: string
  readonly conversions: readonly { readonly fromVersion: string; readonly toVersion: string }[]
}
