/**
 * The decision of a controller as data: writes in order, and when to requeue. Deciding is pure; `perform` executes the
 * writes in order and stops at the first failure, because later writes assume that earlier ones succeeded.
 */
import type { KubeObject, ResourceType } from '../../../kube/index.ts'

export type Write =
  | { readonly verb: 'create'; readonly type: ResourceType; readonly object: KubeObject }
  | { readonly verb: 'update'; readonly type: ResourceType; readonly object: KubeObject; readonly subresource?: string }
  | {
      readonly verb: 'patch'
      readonly type: ResourceType
      readonly object: KubeObject
      readonly value: object
      readonly subresource?: string
    }
  | {
      readonly verb: 'delete'
      readonly type: ResourceType
      readonly object: KubeObject
      readonly gracePeriodSeconds?: number
      readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
    }
  | EventWrite

export interface EventWrite {
  readonly verb: 'event'
  readonly about: KubeObject
  readonly severity: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Decision {
  readonly writes: readonly Write[]
  /** Requeue after this time even if nothing changes. */
  readonly requeueAfterMs?: number
  /** Requeue with back-off: the decision could not be completed. */
  readonly retry?: boolean
  readonly why: string
}

export function event(
  about: KubeObject,
  severity: EventWrite['severity'],
  reason: string,
  message: string,
): EventWrite {
  return { verb: 'event', about, severity, reason, message }
}
