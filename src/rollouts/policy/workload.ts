/**
 * The fields of workloads, revisions, pods and Jobs that rollouts read and write. What is not listed is carried along untouched.
 */
import type { KubeObject, LabelSelector } from '../../kube/index.ts'

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: object
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly EnvVar[]
  readonly [field: string]: unknown
}

export interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly { readonly name: string; readonly [field: string]: unknown }[]
  readonly serviceAccountName?: string
  readonly [field: string]: unknown
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: PodSpec
}

export interface JobSpec {
  readonly template: PodTemplate
  readonly backoffLimit?: number
  readonly activeDeadlineSeconds?: number
  readonly ttlSecondsAfterFinished?: number
  readonly [field: string]: unknown
}

export interface WorkloadCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly minReadySeconds?: number
    readonly progressDeadlineSeconds?: number
    readonly revisionHistoryLimit?: number
    readonly selector: LabelSelector
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate'
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    }
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly ordinals?: { readonly start?: number }
    readonly podManagementPolicy?: string
    readonly selector: LabelSelector
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: number | string }
    }
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly minReadySeconds?: number
    readonly selector: LabelSelector
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    }
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly desiredNumberScheduled?: number
    readonly updatedNumberScheduled?: number
    readonly numberAvailable?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export type Workload = Deployment | StatefulSet | DaemonSet
