/** The default projection: everything but managedFields, which are half of a typical pod. */
import type { KubeObject } from '../object.ts'

export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
