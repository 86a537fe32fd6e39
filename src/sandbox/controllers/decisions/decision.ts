/**
 * What a controller wants done, as data: writes in order, and when to look again. Deciding is pure; `perform` does the writes one
 * after the other and stops at the first that fails, because everything after it was decided on a world that did not come about.
 */
import type { KubeObject, ResourceType } from '../../../kube/object.ts'

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
  /** Milliseconds after which to decide again though nothing changed. */
  readonly wakeAfter?: number
  /** Decide again with back-off: the world seen cannot be acted upon. */
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
