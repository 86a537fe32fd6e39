/** When an object that is being deleted may go for good. */
import type { ApiObject } from '../object.ts'

/** Nothing holds it any more: no finalizer, no grace period. */
export function finishedDeleting({ metadata }: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  )
}
