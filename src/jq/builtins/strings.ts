/**
 * Functions over strings, except regular expressions.
 */
import type { Json } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { runtimeError } from '../error.ts'
import { splitText } from '../values/arithmetic.ts'
import { describe, utf8Length } from '../values/describe.ts'
import { isArray, toDouble } from '../values/kind.ts'
import { occurrences } from '../values/text.ts'

const white = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const leading = new RegExp(`^[${white}]+`)
const trailing = new RegExp(`[${white}]+$`)

export const stringFunctions: Readonly<Record<string, Native>> = {
  'explode/0': (input) => codePoints(input),
  'implode/0': (input) => {
    if (!isArray(input)) throw runtimeError('implode input must be an array')
    return input.map(character).join('')
  },
  'ascii/0': (input) => character(input),
  'ascii_downcase/0': (input) => changeCase(input, /[A-Z]+/g, (letters) => letters.toLowerCase()),
  'ascii_upcase/0': (input) => changeCase(input, /[a-z]+/g, (letters) => letters.toUpperCase()),
  'utf8bytelength/0': (input) => {
    if (typeof input !== 'string') throw runtimeError(`${describe(input)} only strings have UTF-8 byte length`)
    return utf8Length(input)
  },
  'startswith/1': (input, [prefix = null]) => {
    if (typeof input !== 'string' || typeof prefix !== 'string') {
      throw runtimeError('startswith() requires string inputs')
    }
    return input.startsWith(prefix)
  },
  'endswith/1': (input, [suffix = null]) => {
    if (typeof input !== 'string' || typeof suffix !== 'string') {
      throw runtimeError('endswith() requires string inputs')
    }
    return input.endsWith(suffix)
  },
  'split/1': (input, [separator = null], { meter }) => {
    if (typeof input !== 'string' || typeof separator !== 'string') {
      throw runtimeError('split input and separator must be strings')
    }
    const parts = splitText(input, separator)
    meter.spend(parts.length)
    return parts
  },
  'trim/0': (input) => trimmable(input).replace(leading, '').replace(trailing, ''),
  'ltrim/0': (input) => trimmable(input).replace(leading, ''),
  'rtrim/0': (input) => trimmable(input).replace(trailing, ''),
  '_strindices/1': (input, [needle = null]) => {
    if (typeof input !== 'string') throw runtimeError(`${describe(input)} cannot be searched, as it is not a string`)
    if (typeof needle !== 'string') throw runtimeError(`${describe(needle)} is not a string`)
    return occurrences(input, needle)
  },
}

function codePoints(value: Json): number[] {
  if (typeof value !== 'string') throw runtimeError('explode input must be a string')
  return Array.from(value, (letter) => letter.codePointAt(0) ?? 0)
}

function character(value: Json): string {
  const code = toDouble(value)
  if (code === undefined || Number.isNaN(code)) {
    throw runtimeError(`${describe(value)} can't be imploded, unicode codepoint needs to be numeric`)
  }
  const point = Math.trunc(code)
  const valid = point >= 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
  return String.fromCodePoint(valid ? point : 0xfffd)
}

function changeCase(value: Json, letters: RegExp, change: (letters: string) => string): string {
  if (typeof value !== 'string') throw runtimeError('explode input must be a string')
  // ASCII text can be changed at once.
  return utf8Length(value) === value.length ? change(value) : value.replace(letters, change)
}

function trimmable(value: Json): string {
  if (typeof value !== 'string') throw runtimeError('trim input must be a string')
  return value
}
