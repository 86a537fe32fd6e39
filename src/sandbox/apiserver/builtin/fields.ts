/** Shorthands for selectable fields of built-in kinds. */
import { type ApiObject, at } from '../object.ts'

/** The value at a dotted path as a selector sees it: text, with absent values empty. */
export function text(path: string, fallback = ''): (object: ApiObject) => string {
  const keys = path.split('.')
  return (object) => {
    const value = at(object, ...keys)
    return value === undefined || value === null ? fallback : String(value)
  }
}

export function texts(...paths: readonly string[]): Record<string, (object: ApiObject) => string> {
  return Object.fromEntries(paths.map((path) => [path, text(path)]))
}
