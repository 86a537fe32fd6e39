/** What is kept of an object when nobody says otherwise: everything but the record of who set which field, half of a typical pod. */
import type { KubeObject } from '../object.ts'

export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
