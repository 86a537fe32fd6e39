/** Converts a name to a label value, which has a lower length limit: the result is a valid name and the same for the same name. */
import { sha256Hex } from '../runtime/index.ts'

const longest = 63
const digits = 12

export function labelValueOf(name: string): string {
  if (name.length <= longest) return name
  return `${name.slice(0, 50).replace(/[^a-z0-9]+$/i, '')}-${sha256Hex(name).slice(0, digits)}`
}
