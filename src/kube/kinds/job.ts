/** The kinds of `batch/v1`. */
import type { LabelSelector } from '../label-selector.ts'
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { PodTemplate } from './pod.ts'

export interface PodFailurePolicyRule {
  readonly action: string
  readonly onExitCodes?: {
    readonly containerName?: string
    readonly operator: string
    readonly values: readonly number[]
  }
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[]
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export interface JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly completionMode?: string
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly activeDeadlineSeconds?: number
  readonly ttlSecondsAfterFinished?: number
  readonly suspend?: boolean
  readonly managedBy?: string
  readonly podReplacementPolicy?: string
  readonly podFailurePolicy?: { readonly rules: readonly PodFailurePolicyRule[] }
  readonly successPolicy?: { readonly rules: readonly SuccessPolicyRule[] }
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  readonly template: PodTemplate
}

export interface JobStatus {
  readonly conditions?: readonly Condition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly ready?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] }
}

export interface Job extends KubeObject {
  readonly spec: JobSpec
  readonly status?: JobStatus
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string
    readonly timeZone?: string
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy?: string
    readonly suspend?: boolean
    readonly successfulJobsHistoryLimit?: number
    readonly failedJobsHistoryLimit?: number
    readonly jobTemplate: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec: JobSpec
    }
  }
  readonly status?: {
    readonly active?: readonly Readonly<Record<string, string>>[]
    readonly lastScheduleTime?: string
    readonly lastSuccessfulTime?: string
  }
}
