/** When an object that is being deleted may go for good. */
import type { ApiObject } from '../object.ts'
import type { ServedResource } from '../resource.ts'

/** Nothing holds it any more: no finalizer, no grace period, nothing its kind adds. */
export function finishedDeleting(resource: ServedResource, object: ApiObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata
  return (
    deletionTimestamp !== undefined &&
    (finalizers ?? []).length === 0 &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    resource.strategy.held?.(object) !== true
  )
}
