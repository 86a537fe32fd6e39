/**
 * Structural sharing: an update usually changes a few fields, so parts equal to the previous version share memory. Also
 * tells whether anything changed.
 */
import type { Json, JsonObject } from '../../../runtime/index.ts'

/** Returns a value equal to `next` that reuses parts of `previous`; `previous` itself when both are equal. */
export function share<T extends Json>(previous: Json | undefined, next: T): T {
  return shared(previous, next) as T
}

function shared(previous: Json | undefined, next: Json): Json {
  if (previous === next) return next
  if (typeof previous !== 'object' || previous === null || typeof next !== 'object' || next === null) return next
  if (Array.isArray(previous) || Array.isArray(next)) {
    return Array.isArray(previous) && Array.isArray(next) ? sharedArray(previous, next) : next
  }
  return sharedObject(previous as JsonObject, next as JsonObject)
}

function sharedArray(previous: readonly Json[], next: readonly Json[]): Json {
  let equal = previous.length === next.length
  const result: Json[] = []
  for (let index = 0; index < next.length; index++) {
    const value = shared(previous[index], next[index] as Json)
    result.push(value)
    if (value !== previous[index]) equal = false
  }
  return equal ? previous : result
}

function sharedObject(previous: JsonObject, next: JsonObject): Json {
  const keys = Object.keys(next)
  let equal = keys.length === Object.keys(previous).length
  const result: Record<string, Json> = {}
  for (const key of keys) {
    const before = Object.hasOwn(previous, key) ? previous[key] : undefined
    const value = shared(before, next[key] as Json)
    if (key === '__proto__')
      Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true })
    else result[key] = value
    if (before === undefined || value !== before) equal = false
  }
  return equal ? previous : result
}

export function equal(left: Json | undefined, right: Json | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && share(left, right) === left)
}
