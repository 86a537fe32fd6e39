/** The workload kinds of `apps/v1`. */
import type { LabelSelector } from '../label-selector.ts'
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { PodTemplate } from './pod.ts'
import type { PersistentVolumeClaim } from './storage.ts'

/** A number, or a percentage such as `25%`. */
export type IntOrPercent = number | string

export interface DeploymentStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly Condition[]
  readonly collisionCount?: number
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly strategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly paused?: boolean
    readonly progressDeadlineSeconds?: number
  }
  readonly status?: DeploymentStatus
}

export interface ReplicaSetStatus {
  readonly replicas?: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
  }
  readonly status?: ReplicaSetStatus
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly availableReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly Condition[]
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
    readonly serviceName?: string
    readonly podManagementPolicy?: string
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrPercent }
    }
    readonly revisionHistoryLimit?: number
    readonly minReadySeconds?: number
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string }
    readonly ordinals?: { readonly start?: number }
  }
  readonly status?: StatefulSetStatus
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled?: number
  readonly numberMisscheduled?: number
  readonly desiredNumberScheduled?: number
  readonly numberReady?: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly Condition[]
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
  }
  readonly status?: DaemonSetStatus
}

export interface ControllerRevision extends KubeObject {
  readonly data?: { readonly spec?: { readonly template?: PodTemplate } }
  readonly revision: number
}
