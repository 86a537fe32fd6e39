/** Nodes, and the Binding that puts a pod on one. */
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { ResourceList } from './container.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  readonly effect: string
  readonly timeAdded?: string
}

export interface NodeCondition extends Condition {
  readonly lastHeartbeatTime?: string
}

export interface Node extends KubeObject {
  readonly spec?: {
    readonly taints?: readonly Taint[]
    readonly unschedulable?: boolean
    readonly podCIDR?: string
    readonly podCIDRs?: readonly string[]
    readonly providerID?: string
  }
  readonly status?: {
    readonly capacity?: ResourceList
    readonly allocatable?: ResourceList
    readonly conditions?: readonly NodeCondition[]
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } }
    readonly nodeInfo?: Readonly<Record<string, string>>
  }
}

/** Created as the subresource `binding` of a pod. */
export interface Binding extends KubeObject {
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string }
}
