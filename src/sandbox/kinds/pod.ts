/**
 * Pods as controllers, scheduler and nodes use them: only the fields they read or write. Other fields are passed
 * through unchanged.
 */
import type { LabelSelector } from '../../kube/label-selector.ts'
import type { KubeObject } from '../../kube/object.ts'

export type Resources = Readonly<Record<string, string | number>>

export interface EnvSource {
  readonly configMapKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean }
  readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean }
  readonly fieldRef?: { readonly fieldPath: string }
  readonly resourceFieldRef?: { readonly containerName?: string; readonly resource: string; readonly divisor?: string }
}

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: EnvSource
}

export interface EnvFrom {
  readonly prefix?: string
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean }
  readonly secretRef?: { readonly name: string; readonly optional?: boolean }
}

export interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly protocol?: string
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly EnvVar[]
  readonly envFrom?: readonly EnvFrom[]
  readonly ports?: readonly ContainerPort[]
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources }
  /** `Always` on an init container makes it a sidecar: started in order, but its exit is not awaited. */
  readonly restartPolicy?: string
  readonly terminationMessagePolicy?: string
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
    }
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number
      readonly preference: NodeSelectorTerm
    }[]
  }
  readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
  readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
}

export interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly [source: string]: unknown
}

export interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly restartPolicy?: string
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly schedulerName?: string
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly serviceAccountName?: string
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly hostNetwork?: boolean
  readonly hostname?: string
  readonly subdomain?: string
  readonly priority?: number
  readonly readinessGates?: readonly { readonly conditionType: string }[]
  readonly volumes?: readonly Volume[]
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec: PodSpec
}

export interface ContainerTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly containerID?: string
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string }
  readonly terminated?: ContainerTerminated
}

export interface ContainerStatus {
  readonly name: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
}

export interface PodCondition {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface PodStatus {
  readonly phase?: string
  readonly observedGeneration?: number
  readonly conditions?: readonly PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly qosClass?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}
