/** JSON Merge Patch (RFC 7386): objects merge, `null` removes, everything else replaces. */
import { isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { maxDepth, tooDeep } from './errors.ts'
import { type MutableObject, member, setMember } from './members.ts'

/** Returns the document itself when the patch changes nothing. */
export function applyMergePatch(document: Json, patch: Json): Json {
  return merge(document, patch, 0)
}

function merge(document: Json | undefined, patch: Json, depth: number): Json {
  if (depth > maxDepth) throw tooDeep()
  if (!isJsonObject(patch)) return patch
  const base: JsonObject = isJsonObject(document) ? document : {}
  let result: MutableObject | undefined
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    const old = member(base, key)
    if (value === undefined) continue
    if (value === null) {
      if (old === undefined) continue
      result ??= { ...base }
      delete result[key]
      continue
    }
    const merged = merge(old, value, depth + 1)
    if (merged === old) continue
    result ??= { ...base }
    setMember(result, key, merged)
  }
  if (result !== undefined) return result
  return isJsonObject(document) ? document : {}
}
