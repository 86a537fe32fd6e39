/** Configuration and identities: ConfigMap, Secret, ServiceAccount, Namespace. */
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>
  readonly immutable?: boolean
}

export interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
  /** Accepted by the API server and returned as `data`. */
  readonly stringData?: Readonly<Record<string, string>>
  readonly immutable?: boolean
}

export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly { readonly name?: string }[]
  readonly imagePullSecrets?: readonly { readonly name?: string }[]
  readonly automountServiceAccountToken?: boolean
}

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: {
    /** `Active` or `Terminating`. */
    readonly phase?: string
    readonly conditions?: readonly Condition[]
  }
}
