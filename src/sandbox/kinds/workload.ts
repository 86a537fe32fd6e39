/** The workload kinds of `apps/v1` as their controllers use them, after API server defaults. */
import type { LabelSelector } from '../../kube/label-selector.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { PodTemplate } from './pod.ts'

/** A number, or a percentage such as `25%`. */
export type IntOrPercent = number | string

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly lastUpdateTime?: string
  readonly lastProbeTime?: string | null
}

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
  spec: {
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
  status?: DeploymentStatus
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
  spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
  }
  status?: ReplicaSetStatus
}

export interface PersistentVolumeClaim extends KubeObject {
  spec?: { readonly volumeName?: string; readonly [field: string]: unknown }
  status?: { readonly phase?: string; readonly [field: string]: unknown }
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
  spec: {
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
  status?: StatefulSetStatus
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
  spec: {
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
  }
  status?: DaemonSetStatus
}

export interface ControllerRevision extends KubeObject {
  data?: { readonly spec?: { readonly template?: PodTemplate } }
  revision: number
}
