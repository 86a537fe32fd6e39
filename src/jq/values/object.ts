/**
 * The only functions that write keys. `__proto__` is an ordinary key, so it must not be used in a plain assignment.
 */
import type { Json } from '../../runtime/index.ts'

export type MutableObject = { [key: string]: Json }

export function setKey(object: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}

/** Names that every object or array inherits. */
export function isInherited(key: string): boolean {
  return key in Array.prototype || key === 'length'
}
