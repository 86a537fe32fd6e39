/**
 * Layers of values on top of each other: maps are merged at any depth, everything else is replaced as a whole, also by null.
 */
import { member, setMember } from '../../../patch/members.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'

/** Later layers win. */
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
