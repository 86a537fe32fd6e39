/**
 * Number literals that a double cannot represent exactly: `100000000000000000001`, `1.50`, `1E+1000`. Such a literal keeps its canonical
 * decimal text until it is used in arithmetic. All other numbers are plain JavaScript numbers.
 */
import type { Json } from '../../runtime/index.ts'
import { formatDouble } from './double.ts'

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
const maxExponent = 999_999_999
const minExponent = -1_999_999_997

interface Decimal {
  readonly negative: boolean
  /** Without leading zeros; empty for zero. */
  readonly digits: string
  readonly exponent: number
}

/** Symbols instead of names: a literal must not look like an object with such a key. */
export const literalText = Symbol('text')
export const literalValue = Symbol('value')
const literalDecimal = Symbol('decimal')

export class NumberLiteral {
  readonly #text: string
  readonly #value: number
  readonly #decimal: Decimal

  constructor(text: string, value: number, parsed: Decimal) {
    this.#text = text
    this.#value = value
    this.#decimal = parsed
  }

  get [literalText](): string {
    return this.#text
  }

  get [literalValue](): number {
    return this.#value
  }

  get [literalDecimal](): Decimal {
    return this.#decimal
  }
}

export function isLiteral(value: unknown): value is NumberLiteral {
  return value instanceof NumberLiteral
}

/** Parses a decimal number; undefined when the text is not one. The result is a plain number when no precision is lost. */
export function parseNumber(text: string): Json | undefined {
  const parts = decimal.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  if (whole === '' && fraction === '') return undefined
  if (fraction === '' && power === '0' && whole.length < 16 && !text.includes('.')) return Number(text)
  return makeLiteral({
    negative: sign === '-',
    digits: (whole + fraction).replace(/^0+/, ''),
    exponent: clampExponent(Number(power)) - fraction.length,
  })
}

export function negateLiteral(literal: NumberLiteral): Json {
  const parsed = literal[literalDecimal]
  return makeLiteral({ ...parsed, negative: parsed.digits !== '' && !parsed.negative })
}

export function absoluteLiteral(literal: NumberLiteral): Json {
  return makeLiteral({ ...literal[literalDecimal], negative: false })
}

/** Exact order of two literals, or of a literal and an integer that a double represents exactly. */
export function compareLiterals(a: NumberLiteral, b: NumberLiteral): number {
  return compareDecimals(a[literalDecimal], b[literalDecimal])
}

function makeLiteral(parsed: Decimal): Json {
  const adjusted = parsed.exponent + parsed.digits.length - 1
  const sign = parsed.negative ? -1 : 1
  if (parsed.digits !== '' && adjusted > maxExponent) return sign * Number.POSITIVE_INFINITY
  if (parsed.digits === '' || adjusted < minExponent) {
    if (parsed.exponent >= 0 || adjusted < minExponent) return parsed.negative ? -0 : 0
  }
  const text = canonicalText(parsed)
  const value = Number(text)
  // Integers beyond the exact range of doubles stay literals even when this one is exact: its neighbours must differ from it.
  const exact = text === formatDouble(value) && (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value))
  return exact ? value : (new NumberLiteral(text, value, parsed) as unknown as Json)
}

function clampExponent(power: number): number {
  return Math.max(-4_000_000_000, Math.min(4_000_000_000, power))
}

/** Scientific notation of the decimal arithmetic specification. */
function canonicalText({ negative, digits: given, exponent }: Decimal): string {
  const digits = given === '' ? '0' : given
  const adjusted = exponent + digits.length - 1
  const sign = negative ? '-' : ''
  if (exponent <= 0 && adjusted >= -6) {
    if (exponent === 0) return sign + digits
    const point = digits.length + exponent
    return point > 0
      ? `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
      : `${sign}0.${'0'.repeat(-point)}${digits}`
  }
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits
  return `${sign}${mantissa}E${adjusted < 0 ? '-' : '+'}${Math.abs(adjusted)}`
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const signA = a.digits === '' ? 0 : a.negative ? -1 : 1
  const signB = b.digits === '' ? 0 : b.negative ? -1 : 1
  if (signA !== signB) return signA < signB ? -1 : 1
  if (signA === 0) return 0
  const adjustedA = a.exponent + a.digits.length
  const adjustedB = b.exponent + b.digits.length
  if (adjustedA !== adjustedB) return adjustedA < adjustedB ? -signA : signA
  const length = Math.max(a.digits.length, b.digits.length)
  const padA = a.digits.padEnd(length, '0')
  const padB = b.digits.padEnd(length, '0')
  return padA === padB ? 0 : padA < padB ? -signA : signA
}
