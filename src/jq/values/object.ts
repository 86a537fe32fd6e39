/**
 * The only places that write keys. `__proto__` is a key like any other, so it must never reach an ordinary assignment.
 */
import type { Json } from '../../runtime/json.ts'

export type MutableObject = { [key: string]: Json }

export function setKey(object: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}

/** Names that every object or array answers to without having such a key. */
export function isInherited(key: string): boolean {
  return key in Array.prototype || key === 'length'
}
