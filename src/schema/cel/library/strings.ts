/** Additional string functions: charAt, replace, reverse, format, quote. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll, registerNamespace } from './registration.ts'

export function registerStrings(environment: Environment): void {
  registerNamespace(environment, 'strings', 'StringsNamespace')
  registerAll(environment, {
    'string.charAt(int): string': charAt,
    'string.replace(string, string): string': (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    'string.replace(string, string, int): string': replaceSome,
    'string.reverse(): string': (text: string) => [...text].reverse().join(''),
    'string.format(list): string': format,
    'StringsNamespace.quote(string): string': (_: unknown, text: string) => JSON.stringify(text),
  })
}

function charAt(text: string, index: bigint): string {
  const chars = [...text]
  if (index < 0n || index > BigInt(chars.length)) throw new RangeError(`index out of range: ${index}`)
  return chars[Number(index)] ?? ''
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, () => to)
  let left = limit
  return text.replaceAll(from, (match) => {
    left -= 1n
    return left >= 0n ? to : match
  })
}

function format(template: string, values: readonly unknown[]): string {
  let next = 0
  return template.replace(
    /%(?:\.(\d+))?([sdfeboxX%])|%/g,
    (whole, precision: string | undefined, verb: string | undefined) => {
      if (verb === '%') return '%'
      if (verb === undefined) throw new RangeError(`could not parse formatting clause: ${whole}`)
      if (next >= values.length) throw new RangeError(`index ${next} out of range`)
      const value = values[next]
      next += 1
      return formatOne(verb, value, Math.min(Number(precision ?? 6), 100))
    },
  )
}

function formatOne(verb: string, value: unknown, digits: number): string {
  switch (verb) {
    case 'f':
      return Number(value).toFixed(digits)
    case 'e':
      return Number(value).toExponential(digits)
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : BigInt(value as bigint).toString(2)
    case 'o':
      return BigInt(value as bigint).toString(8)
    case 'x':
    case 'X': {
      const text =
        typeof value === 'string'
          ? Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, '0')).join('')
          : BigInt(value as bigint).toString(16)
      return verb === 'X' ? text.toUpperCase() : text
    }
    default:
      return display(value)
  }
}

function display(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(display).join(', ')}]`
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([key, member]) => `${key}: ${display(member)}`).join(', ')}}`
  }
  return String(value)
}
