/**
 * Objects as the API server stores them: plain JSON with typed metadata. They are never changed in place, so storage,
 * watchers and responses can share them.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'

// Type aliases, not interfaces: only those are assignable to `JsonObject`.
export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export type ManagedFieldsEntry = {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

export type ObjectMeta = {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export type ApiObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: Json
}

/** Returns the object with some metadata replaced; a field given as `undefined` is removed. */
export function withMetadata(
  object: ApiObject,
  changes: { readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined },
): ApiObject {
  const metadata: Record<string, Json> = { ...object.metadata }
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[key]
    else metadata[key] = value
  }
  return { ...object, metadata: metadata as ObjectMeta }
}

/** Returns the object with a top-level field replaced, or removed when `value` is undefined. */
export function withField(object: ApiObject, field: string, value: Json | undefined): ApiObject {
  const { [field]: _dropped, ...rest } = object
  return (value === undefined ? rest : { ...rest, [field]: value }) as ApiObject
}

/** The value at a path of keys, or undefined when part of the path is missing. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current: Json | undefined = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined
    current = (current as JsonObject)[key]
  }
  return current
}
