/** Marks a definition as terminating: a finalizer keeps it until its objects are deleted. */
import type { Instant } from '../../../runtime/index.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import { timestamp } from '../timestamp.ts'
import { withCondition } from './conditions.ts'
import { cleanupFinalizer } from './definition.ts'

export function definitionDeleted(object: ApiObject, now: Instant): ApiObject {
  const finalizers = object.metadata.finalizers ?? []
  const held = withMetadata(object, {
    deletionTimestamp: timestamp(now),
    finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
  })
  return withCondition(
    held,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    timestamp(now),
  )
}
