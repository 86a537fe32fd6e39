/** Merges layers of values: maps are merged recursively, other values are replaced, also by null. */
import { member, setMember } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'

/** Later layers take precedence. */
export function mergeLayers(...layers: readonly (JsonObject | undefined)[]): JsonObject {
  return layers.reduce<JsonObject>((below, above) => (above === undefined ? below : mergeObjects(below, above)), {})
}

function mergeObjects(below: JsonObject, above: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const under = member(below, key)
    setMember(merged, key, isJsonObject(under) && isJsonObject(value) ? mergeObjects(under, value) : value)
  }
  return merged
}
