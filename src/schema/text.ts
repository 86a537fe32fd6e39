/** Formats values as the API server does in messages and comparisons. */
import type { Json } from '../runtime/index.ts'

/** Whether the API server treats the number as a 64-bit integer. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

/** Formats a number like Go: integers without an exponent, others with an exponent from a million on. */
export function goNumber(value: number): string {
  if (isInt64(value)) return String(value)
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent >= -4 && exponent < 6) return String(value)
  const [digits = '', power = ''] = value.toExponential().split('e')
  return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`
}

/** JSON text with sorted members: equal values have equal text. */
export function stableText(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** A value in a message. */
export function shownValue(value: Json): string {
  if (typeof value === 'number') return goNumber(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return stableText(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}
