/** Services and the endpoints behind them. */
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly nodePort?: number
  readonly protocol?: string
  readonly appProtocol?: string
}

export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string
    readonly selector?: Readonly<Record<string, string>>
    readonly ports?: readonly ServicePort[]
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly externalIPs?: readonly string[]
    readonly externalName?: string
    readonly externalTrafficPolicy?: string
    readonly internalTrafficPolicy?: string
    readonly ipFamilies?: readonly string[]
    readonly ipFamilyPolicy?: string
    readonly loadBalancerClass?: string
    readonly publishNotReadyAddresses?: boolean
    readonly sessionAffinity?: string
  }
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] }
    readonly conditions?: readonly Condition[]
  }
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints: readonly {
    readonly addresses: readonly string[]
    readonly conditions: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean }
    readonly hostname?: string
    readonly nodeName?: string
    readonly zone?: string
    readonly targetRef?: Readonly<Record<string, string>>
  }[]
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[]
}
