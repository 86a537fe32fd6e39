/**
 * The operators `+ - * / %` for all pairs of kinds.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { type JqError, runtimeError } from '../error.ts'
import { type Meter, maxValueDepth } from '../limits.ts'
import { equals } from './compare.ts'
import { describe } from './describe.ts'
import { isArray, isObject, toDouble } from './kind.ts'
import { isLiteral, negateLiteral } from './literal.ts'
import { type MutableObject, setKey } from './object.ts'

/** The maximum string length that all JavaScript engines support. */
const maxStringLength = 2 ** 29 - 25

export function add(a: Json, b: Json, meter: Meter): Json {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length + b.length > maxStringLength) throw runtimeError('String concatenation result too long')
    return a + b
  }
  if (a === null) return b
  if (b === null) return a
  if (isArray(a) && isArray(b)) {
    meter.spend((a.length + b.length) >> 2)
    return a.length === 0 ? b : b.length === 0 ? a : a.concat(b)
  }
  if (isObject(a) && isObject(b)) {
    const sum = { ...a, ...b }
    meter.spend(1)
    return sum
  }
  const x = toDouble(a)
  const y = toDouble(b)
  if (x !== undefined && y !== undefined) return x + y
  throw mismatch(a, b, 'added')
}

export function subtract(a: Json, b: Json, meter: Meter): Json {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (isArray(a) && isArray(b)) {
    meter.spend(a.length * b.length)
    return a.filter((item) => !b.some((other) => equals(item, other)))
  }
  const x = toDouble(a)
  const y = toDouble(b)
  if (x !== undefined && y !== undefined) return x - y
  throw mismatch(a, b, 'subtracted')
}

export function multiply(a: Json, b: Json, meter: Meter): Json {
  const x = toDouble(a)
  const y = toDouble(b)
  if (x !== undefined && y !== undefined) return x * y
  if (typeof a === 'string' && y !== undefined) return repeatText(a, y, meter)
  if (typeof b === 'string' && x !== undefined) return repeatText(b, x, meter)
  if (isObject(a) && isObject(b)) return merge(a, b, meter)
  throw mismatch(a, b, 'multiplied')
}

export function divide(a: Json, b: Json): Json {
  const x = toDouble(a)
  const y = toDouble(b)
  if (x !== undefined && y !== undefined) {
    if (y === 0) throw mismatch(a, b, 'divided because the divisor is zero')
    return x / y
  }
  if (typeof a === 'string' && typeof b === 'string') return splitText(a, b)
  throw mismatch(a, b, 'divided')
}

export function modulo(a: Json, b: Json): Json {
  const x = toDouble(a)
  const y = toDouble(b)
  if (x === undefined || y === undefined) throw mismatch(a, b, 'divided (remainder)')
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  const divisor = Math.trunc(Math.abs(y))
  if (divisor === 0) throw mismatch(a, b, 'divided (remainder) because the divisor is zero')
  if (Number.isSafeInteger(divisor) && Math.abs(x) <= Number.MAX_SAFE_INTEGER) return (Math.trunc(x) % divisor) + 0
  const wide = toInt64(y)
  return Number(toInt64(x) % (wide < 0n ? -wide : wide))
}

export function negate(value: Json): Json {
  if (typeof value === 'number') return value === 0 ? 0 : -value
  if (isLiteral(value)) return negateLiteral(value)
  throw runtimeError(`${describe(value)} cannot be negated`)
}

export function splitText(text: string, separator: string): string[] {
  if (text === '') return []
  return separator === '' ? Array.from(text) : text.split(separator)
}

function repeatText(text: string, times: number, meter: Meter): Json {
  if (Number.isNaN(times) || times < 0) return null
  const count = Math.trunc(times)
  if (text.length * count > maxStringLength) throw runtimeError('Repeat string result too long')
  meter.spend((text.length * count) >> 4)
  return text === '' ? '' : text.repeat(count)
}

/** Merges objects recursively, with an explicit work list. */
function merge(a: JsonObject, b: JsonObject, meter: Meter): JsonObject {
  const result: MutableObject = { ...a }
  const open = [{ merged: result, from: b, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { merged, from, depth } = next
    if (depth > maxValueDepth) throw runtimeError('Object merge too deep')
    meter.spend(1)
    for (const key of Object.keys(from)) {
      const left = Object.hasOwn(merged, key) ? merged[key] : undefined
      const right = from[key] as Json
      if (left !== undefined && isObject(left) && isObject(right)) {
        const inside: MutableObject = { ...left }
        setKey(merged, key, inside)
        open.push({ merged: inside, from: right, depth: depth + 1 })
      } else setKey(merged, key, right)
    }
  }
  return result
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

function toInt64(value: number): bigint {
  if (value >= 2 ** 63) return maxInt64
  return value <= -(2 ** 63) ? minInt64 : BigInt(Math.trunc(value))
}

function mismatch(a: Json, b: Json, verb: string): JqError {
  return runtimeError(`${describe(a)} and ${describe(b)} cannot be ${verb}`)
}
