/**
 * Decides what a delete does to an object: nothing (a deletion is in progress), an update that marks it, or its
 * removal. Pure; the caller stores the result.
 */
import type { Instant } from '../../../runtime/index.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import type { ServedResource } from '../resource.ts'
import { conflict } from '../status/status-error.ts'
import { timestamp } from '../timestamp.ts'
import type { DeleteOptions } from './options.ts'

export type DeletePlan =
  | { readonly step: 'pending' }
  | { readonly step: 'mark'; readonly object: ApiObject }
  /** `object` is set when the removal is preceded by a last update, as for pods without grace period. */
  | { readonly step: 'remove'; readonly object?: ApiObject }

export function planDeletion(
  resource: ServedResource,
  given: ApiObject,
  options: DeleteOptions,
  now: Instant,
): DeletePlan {
  checkPreconditions(resource, given, options)
  const isFirst = given.metadata.deletionTimestamp === undefined
  const object = isFirst ? (resource.strategy.onDeletionStart?.(given, now) ?? given) : given
  if (isFirst && object.metadata.deletionTimestamp !== undefined) return { step: 'mark', object }
  const graceful = planGracePeriod(resource, object, options, now)
  if (graceful === 'pending') return { step: 'pending' }
  const marked = graceful?.object ?? object
  const finalizers = deletionFinalizers(resource, object, options)
  const held = finalizers.length > 0
  if (graceful === undefined) {
    return held ? { step: 'mark', object: markAsDeleting(withFinalizers(object, finalizers), now) } : { step: 'remove' }
  }
  const result = withFinalizers(marked, finalizers)
  return held || graceful.period > 0 ? { step: 'mark', object: result } : { step: 'remove', object: result }
}

function checkPreconditions(resource: ServedResource, object: ApiObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = object.metadata
  const of = { group: resource.group, resource: resource.kind }
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      of,
      object.metadata.name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid ?? ''}). The object might have been deleted and then recreated`,
    )
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      of,
      object.metadata.name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion ?? ''}). The object might have been modified`,
    )
  }
}

function planGracePeriod(
  resource: ServedResource,
  object: ApiObject,
  { gracePeriodSeconds: requested }: DeleteOptions,
  now: Instant,
): { readonly object: ApiObject; readonly period: number } | 'pending' | undefined {
  const { strategy } = resource
  if (strategy.gracePeriodSeconds === undefined) return undefined
  const { deletionTimestamp, deletionGracePeriodSeconds: left, generation } = object.metadata
  if (deletionTimestamp !== undefined) {
    if (left === undefined || left === 0) return undefined
    if (requested === undefined || requested >= left) return 'pending'
    return shortened(object, Date.parse(deletionTimestamp) - left * 1000, requested, now)
  }
  const period = strategy.gracePeriodSeconds(object, requested)
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(now + period * 1000),
    deletionGracePeriodSeconds: period,
    generation: generation === undefined ? undefined : generation + 1,
  })
  return { object: marked, period }
}

/** The grace period can only be shortened, and the deletion time never moves into the past. */
function shortened(object: ApiObject, began: Instant, requested: number, now: Instant) {
  const end = began + requested * 1000
  const late = end < now
  const period = late && requested !== 0 ? 1 : requested
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(late ? now : end),
    deletionGracePeriodSeconds: period,
  })
  return { object: marked, period }
}

function markAsDeleting(object: ApiObject, now: Instant): ApiObject {
  const { deletionTimestamp, generation } = object.metadata
  const first = deletionTimestamp === undefined
  return withMetadata(object, {
    deletionTimestamp: first || Date.parse(deletionTimestamp) > now ? timestamp(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    generation: first && generation !== undefined ? generation + 1 : generation,
  })
}

function withFinalizers(object: ApiObject, finalizers: readonly string[]): ApiObject {
  return withMetadata(object, { finalizers: finalizers.length > 0 ? finalizers : undefined })
}

/** Finalizers after the delete: the garbage collector acts on `orphan` and `foregroundDeletion`. */
export function deletionFinalizers(
  resource: ServedResource,
  object: ApiObject,
  { orphanDependents, propagationPolicy }: DeleteOptions,
): readonly string[] {
  const present = object.metadata.finalizers ?? []
  const kind = resource.strategy.garbageCollection ?? 'Background'
  const rest = present.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  if (kind === 'Unsupported') return rest
  const wanted = (): 'orphan' | 'foregroundDeletion' | undefined => {
    if (orphanDependents !== undefined) return orphanDependents ? 'orphan' : undefined
    if (propagationPolicy === 'Orphan') return 'orphan'
    if (propagationPolicy === 'Foreground') return 'foregroundDeletion'
    if (propagationPolicy === 'Background') return undefined
    if (present.includes('orphan')) return 'orphan'
    if (present.includes('foregroundDeletion')) return 'foregroundDeletion'
    return kind === 'Orphan' ? 'orphan' : undefined
  }
  const added = wanted()
  return added === undefined ? rest : [...rest, added]
}
