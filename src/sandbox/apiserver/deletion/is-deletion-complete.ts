/** When an object that is being deleted can be removed from storage. */
import type { ApiObject } from '../object.ts'
import type { ServedResource } from '../resource.ts'

/** True when neither a finalizer, nor a grace period, nor a rule of its kind keeps the object. */
export function isDeletionComplete(resource: ServedResource, object: ApiObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata
  return (
    deletionTimestamp !== undefined &&
    (finalizers ?? []).length === 0 &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    resource.strategy.isDeletionBlocked?.(object) !== true
  )
}
