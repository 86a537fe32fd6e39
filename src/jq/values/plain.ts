/**
 * Converts results for JavaScript: number literals become plain numbers. Copies only containers with such a literal.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { isArray } from './kind.ts'
import { isLiteral, literalValue } from './literal.ts'
import { type MutableObject, setKey } from './object.ts'

export function toPlain(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isLiteral(value)) return value[literalValue]
  if (isArray(value)) {
    let copy: Json[] | undefined
    for (let i = 0; i < value.length; i += 1) {
      const item = value[i] as Json
      const plain = toPlain(item)
      if (plain === item || Number.isNaN(plain)) continue
      copy ??= value.slice()
      copy[i] = plain
    }
    return copy ?? value
  }
  const object = value as JsonObject
  let copy: MutableObject | undefined
  for (const key of Object.keys(object)) {
    const item = object[key] as Json
    const plain = toPlain(item)
    if (plain === item || Number.isNaN(plain)) continue
    copy ??= { ...object }
    setKey(copy, key, plain)
  }
  return copy ?? value
}
