/**
 * The kinds of values.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { isLiteral, literalValue } from './literal.ts'

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function kindOf(value: Json): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'array'
      return isLiteral(value) ? 'number' : 'object'
  }
}

export function isTruthy(value: Json): boolean {
  return value !== null && value !== false
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLiteral(value)
}

/** The value of a number as a double; undefined when it is not a number. */
export function toDouble(value: Json): number | undefined {
  if (typeof value === 'number') return value
  return isLiteral(value) ? value[literalValue] : undefined
}
