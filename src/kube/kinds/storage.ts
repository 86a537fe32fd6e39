/** Claims to storage. */
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { ResourceList } from './container.ts'

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: {
    readonly accessModes?: readonly string[]
    readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList }
    readonly storageClassName?: string
    readonly volumeMode?: string
    readonly volumeName?: string
    readonly [field: string]: unknown
  }
  readonly status?: {
    /** `Pending`, `Bound` or `Lost`. */
    readonly phase?: string
    readonly conditions?: readonly Condition[]
    readonly [field: string]: unknown
  }
}
