/** Jobs and CronJobs as their controllers use them, after API server defaults. */
import type { LabelSelector } from '../../kube/label-selector.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { PodTemplate } from './pod.ts'
import type { Condition } from './workload.ts'

export interface PodFailureRule {
  readonly action: string
  readonly onExitCodes?: {
    readonly containerName?: string
    readonly operator: string
    readonly values: readonly number[]
  }
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[]
}

export interface SuccessRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export interface JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly completionMode?: string
  readonly backoffLimit?: number
  readonly activeDeadlineSeconds?: number
  readonly ttlSecondsAfterFinished?: number
  readonly suspend?: boolean
  readonly managedBy?: string
  readonly podReplacementPolicy?: string
  readonly podFailurePolicy?: { readonly rules: readonly PodFailureRule[] }
  readonly successPolicy?: { readonly rules: readonly SuccessRule[] }
  readonly selector?: LabelSelector
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
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] }
}

export interface Job extends KubeObject {
  spec: JobSpec
  status?: JobStatus
}

export interface CronJob extends KubeObject {
  spec: {
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
  status?: {
    readonly active?: readonly Readonly<Record<string, string>>[]
    readonly lastScheduleTime?: string
    readonly lastSuccessfulTime?: string
  }
}
