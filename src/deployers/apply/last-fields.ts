/**
 * The fields of the manifest that an item applied last, in an annotation of the object. With the strategy `patch` they show which fields
 * the manifest has dropped. The managed fields of the server do not: they also list what defaulting and webhooks added. The annotation has the names
 * of fields and no values.
 */
import type { KubeObject } from '../../kube/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import { isOwned, type Owner } from './owner.ts'

const annotation = 'deployers.carabiner.dev/applied-fields'
/** All annotations of an object together may have 256 KiB. Without the annotation no field is removed. */
const maxLength = 128 * 1024

/** The manifest with the annotation about its own fields. */
export function withLastFields(manifest: KubeObject): KubeObject {
  const names = JSON.stringify(namesIn(manifest as unknown as JsonObject))
  if (names.length > maxLength) return manifest
  const annotations = { ...manifest.metadata.annotations, [annotation]: names }
  return { ...manifest, metadata: { ...manifest.metadata, annotations } }
}

/** A merge patch: the manifest, and null for each field that the last manifest had and this one has not. */
export function threeWayPatch(live: KubeObject, manifest: KubeObject, owner: Owner): JsonObject {
  // The annotation of another item, whose object this one adopts, says nothing about this item's manifest.
  return withRemovals(isOwned(live, owner) ? readNames(live) : {}, manifest as unknown as JsonObject)
}

interface Names {
  readonly [field: string]: Names | 1
}

/** A merge patch replaces lists, so the fields inside do not matter. */
function namesIn(object: JsonObject): Names {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, isJsonObject(value) ? namesIn(value) : 1]),
  )
}

function readNames({ metadata }: KubeObject): Json {
  try {
    return JSON.parse(metadata.annotations?.[annotation] ?? '{}') as Json
  } catch {
    // Others can write the annotation, too.
    return {}
  }
}

function withRemovals(before: Json, manifest: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...manifest }
  if (!isJsonObject(before)) return result
  for (const [field, below] of Object.entries(before)) {
    const value = manifest[field]
    if (value === undefined) result[field] = null
    else if (isJsonObject(value)) result[field] = withRemovals(below, value)
  }
  return result
}
