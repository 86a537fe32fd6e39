/** Equality of JSON values as RFC 6902 defines it for `test`: numbers by value, members in any order. */
import { isJsonObject, type Json } from '../runtime/index.ts'
import { maxDepth, tooDeep } from './errors.ts'

export function equal(a: Json, b: Json, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (depth > maxDepth) throw tooDeep()
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index += 1) {
      if (!equal(a[index], b[index], depth + 1)) return false
    }
    return true
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false
    const left = a[key]
    const right = b[key]
    if (left === undefined || right === undefined || !equal(left, right, depth + 1)) return false
  }
  return true
}
