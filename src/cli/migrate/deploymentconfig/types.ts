/** The fields of a DeploymentConfig of OpenShift 4 (apps.openshift.io/v1; older manifests: v1) that are read here. */
import type { KubeObject } from '../../../kube/index.ts'
import type { ExecNewPod, PodTemplate } from '../../../rollouts/index.ts'

export interface DeploymentConfig extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly revisionHistoryLimit?: number
    readonly minReadySeconds?: number
    readonly paused?: boolean
    /** Scaled to zero after every rollout. */
    readonly test?: boolean
    readonly selector?: Readonly<Record<string, string>>
    readonly template: PodTemplate
    readonly triggers?: readonly Trigger[]
    readonly strategy?: Strategy
  }
}

export interface Strategy {
  readonly type?: 'Rolling' | 'Recreate' | 'Custom'
  readonly rollingParams?: Params & {
    readonly updatePeriodSeconds?: number
    readonly intervalSeconds?: number
    readonly maxUnavailable?: number | string
    readonly maxSurge?: number | string
  }
  readonly recreateParams?: Params
  readonly customParams?: object
  readonly resources?: object
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly activeDeadlineSeconds?: number
}

export interface Params {
  readonly timeoutSeconds?: number
  readonly pre?: Hook
  readonly mid?: Hook
  readonly post?: Hook
}

export interface Hook {
  readonly failurePolicy?: 'Retry' | 'Abort' | 'Ignore'
  readonly execNewPod?: ExecNewPod
  readonly tagImages?: readonly { readonly containerName: string; readonly to: { readonly name: string } }[]
}

export interface Trigger {
  readonly type: 'ConfigChange' | 'ImageChange'
  readonly imageChangeParams?: {
    readonly automatic?: boolean
    readonly containerNames?: readonly string[]
    readonly from: { readonly kind: string; readonly name: string; readonly namespace?: string }
    readonly lastTriggeredImage?: string
  }
}

/** A field that is converted with a change. */
export interface Note {
  readonly field: string
  readonly note: string
}

export type AddNote = (field: string, note: string) => void
