/** Pods and the templates that workloads make them from. */
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { Container, ContainerStatus } from './container.ts'
import type { Affinity, Toleration, TopologySpreadConstraint } from './scheduling.ts'

export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

export interface VolumeProjection {
  readonly configMap?: { readonly name?: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly secret?: { readonly name?: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly serviceAccountToken?: {
    readonly path: string
    readonly audience?: string
    readonly expirationSeconds?: number
  }
  readonly downwardAPI?: object
  readonly clusterTrustBundle?: object
}

/** Exactly one source beside the name. The sources that nothing here reads are `unknown`. */
export interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string | number }
  readonly configMap?: {
    readonly name?: string
    readonly items?: readonly KeyToPath[]
    readonly defaultMode?: number
    readonly optional?: boolean
  }
  readonly secret?: {
    readonly secretName?: string
    readonly items?: readonly KeyToPath[]
    readonly defaultMode?: number
    readonly optional?: boolean
  }
  readonly projected?: { readonly sources?: readonly VolumeProjection[]; readonly defaultMode?: number }
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly hostPath?: { readonly path: string; readonly type?: string }
  readonly [source: string]: unknown
}

export interface PodSecurityContext {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly fsGroup?: number
  readonly fsGroupChangePolicy?: string
  readonly supplementalGroups?: readonly number[]
  readonly seccompProfile?: { readonly type: string; readonly localhostProfile?: string }
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[]
}

export interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly Volume[]
  /** `Always`, `OnFailure` or `Never`. */
  readonly restartPolicy?: string
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly serviceAccountName?: string
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets?: readonly { readonly name?: string }[]
  readonly securityContext?: PodSecurityContext
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly schedulerName?: string
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly priority?: number
  readonly priorityClassName?: string
  readonly preemptionPolicy?: string
  readonly runtimeClassName?: string
  readonly overhead?: Readonly<Record<string, string | number>>
  readonly readinessGates?: readonly { readonly conditionType: string }[]
  readonly hostname?: string
  readonly subdomain?: string
  readonly setHostnameAsFQDN?: boolean
  readonly hostAliases?: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[]
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean
  readonly shareProcessNamespace?: boolean
  readonly dnsPolicy?: string
  readonly dnsConfig?: object
  readonly enableServiceLinks?: boolean
  readonly os?: { readonly name: string }
}

export interface PodTemplate {
  readonly metadata?: {
    readonly name?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec: PodSpec
}

export interface PodStatus {
  /** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`. */
  readonly phase?: string
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly qosClass?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec
  readonly status?: PodStatus
}
