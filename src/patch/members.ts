/**
 * Access to members of JSON objects. A key such as `__proto__` or `constructor` is an ordinary key: it is only read and written
 * as an own property.
 */
import type { Json, JsonObject } from '../runtime/index.ts'

/** An object created here that may still be changed. */
export type MutableObject = { [key: string]: Json }

export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function setMember(object: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    object[key] = value
  }
}

export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

/** A value short enough for an error message. */
export function brief(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
