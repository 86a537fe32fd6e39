/** Types of cluster objects other than workloads: nodes, namespaces, leases, bindings, services. */
import type { LabelSelector } from '../../kube/label-selector.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { Resources } from './pod.ts'
import type { Condition, IntOrPercent } from './workload.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export interface NodeCondition extends Condition {
  readonly lastHeartbeatTime?: string
}

export interface Node extends KubeObject {
  spec?: {
    readonly taints?: readonly Taint[]
    readonly unschedulable?: boolean
    readonly podCIDR?: string
    readonly providerID?: string
  }
  status?: {
    readonly capacity?: Resources
    readonly allocatable?: Resources
    readonly conditions?: readonly NodeCondition[]
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } }
    readonly nodeInfo?: Readonly<Record<string, string>>
  }
}

export interface Namespace extends KubeObject {
  spec?: { readonly finalizers?: readonly string[] }
  status?: { readonly phase?: string; readonly conditions?: readonly Condition[] }
}

export interface Lease extends KubeObject {
  spec: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number; readonly renewTime?: string }
}

export interface ConfigMap extends KubeObject {
  data?: Readonly<Record<string, string>>
  binaryData?: Readonly<Record<string, string>>
}

export interface Secret extends KubeObject {
  data?: Readonly<Record<string, string>>
}

export interface Binding extends KubeObject {
  target: { readonly apiVersion: string; readonly kind: string; readonly name: string }
}

export interface PodDisruptionBudget extends KubeObject {
  spec: {
    readonly minAvailable?: IntOrPercent
    readonly maxUnavailable?: IntOrPercent
    readonly selector?: LabelSelector
  }
  status?: {
    readonly observedGeneration?: number
    readonly disruptionsAllowed: number
    readonly currentHealthy: number
    readonly desiredHealthy: number
    readonly expectedPods: number
    /** Pods whose eviction was allowed but is not observed yet, with the time of the eviction. */
    readonly disruptedPods?: Readonly<Record<string, string>>
    readonly conditions?: readonly (Condition & { readonly observedGeneration?: number })[]
  }
}

export interface Service extends KubeObject {
  spec?: {
    readonly selector?: Readonly<Record<string, string>>
    readonly ports?: readonly {
      readonly name?: string
      readonly port: number
      readonly targetPort?: number | string
      readonly protocol?: string
    }[]
    readonly type?: string
    readonly publishNotReadyAddresses?: boolean
  }
}

export interface EndpointSlice extends KubeObject {
  addressType: string
  endpoints: readonly {
    readonly addresses: readonly string[]
    readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean }
    readonly nodeName?: string
    readonly targetRef?: Readonly<Record<string, string>>
  }[]
  ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[]
}
