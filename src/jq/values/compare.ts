/**
 * The total order of jq: null, false, true, numbers, strings, arrays, objects; strings by code point, objects by their sorted keys and
 * then by their values. Uses an explicit stack.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import { maxValueDepth } from '../limits.ts'
import { isArray } from './kind.ts'
import { compareLiterals, isLiteral, literalValue } from './literal.ts'

/** Code point order; it differs from UTF-16 order only between surrogates and the last characters of the basic plane. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    if (x >= 0xd800 && y >= 0xd800) return rank(x) - rank(y)
    return x - y
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit < 0xe000 ? unit + 0x10000 : unit
}

export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object)
  return keys.length > 1 ? keys.sort(compareStrings) : keys
}

interface Cursor {
  readonly left: readonly Json[]
  readonly right: readonly Json[]
  next: number
}

export function compare(a: Json, b: Json): number {
  const flat = compareShallow(a, b)
  if (flat !== undefined) return flat
  const cursors: Cursor[] = []
  const first = open(a, b)
  if (typeof first === 'number') return first
  cursors.push(first)
  for (let top = cursors.at(-1); top !== undefined; top = cursors.at(-1)) {
    const left = top.left[top.next]
    const right = top.right[top.next]
    if (left === undefined || right === undefined) {
      const order = top.left.length - top.right.length
      if (order !== 0) return order
      cursors.pop()
      continue
    }
    top.next += 1
    const order = compareShallow(left, right) ?? open(left, right)
    if (typeof order === 'number') {
      if (order !== 0) return order
    } else {
      if (cursors.length > maxValueDepth) throw runtimeError('Comparison too deep')
      cursors.push(order)
    }
  }
  return 0
}

/** The order without descending; undefined for two arrays or two objects. */
function compareShallow(a: Json, b: Json): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return compareDoubles(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const rankA = kindRank(a)
  const rankB = kindRank(b)
  if (rankA !== rankB) return rankA - rankB
  if (rankA === 3) return compareNumbers(a, b)
  return rankA >= 5 ? undefined : 0
}

function open(a: Json, b: Json): Cursor | number {
  if (isArray(a) && isArray(b)) return { left: a, right: b, next: 0 }
  const left = a as JsonObject
  const right = b as JsonObject
  const keysA = sortedKeys(left)
  const keysB = sortedKeys(right)
  const length = Math.min(keysA.length, keysB.length)
  for (let i = 0; i < length; i += 1) {
    const order = compareStrings(keysA[i] ?? '', keysB[i] ?? '')
    if (order !== 0) return order
  }
  if (keysA.length !== keysB.length) return keysA.length - keysB.length
  return { left: keysA.map((key) => left[key] ?? null), right: keysA.map((key) => right[key] ?? null), next: 0 }
}

function kindRank(value: Json): number {
  if (value === null) return 0
  if (value === false) return 1
  if (value === true) return 2
  if (typeof value === 'number') return 3
  if (typeof value === 'string') return 4
  if (Array.isArray(value)) return 5
  return isLiteral(value) ? 3 : 6
}

/** NaN sorts below every number including itself. */
function compareDoubles(a: number, b: number): number {
  if (a < b || Number.isNaN(a)) return -1
  if (Number.isNaN(b)) return 1
  return a === b ? 0 : 1
}

function compareNumbers(a: Json, b: Json): number {
  if (isLiteral(a) && isLiteral(b)) return compareLiterals(a, b)
  return compareDoubles(isLiteral(a) ? a[literalValue] : (a as number), isLiteral(b) ? b[literalValue] : (b as number))
}

export function equals(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return (isLiteral(a) || isLiteral(b)) && compare(a, b) === 0
  }
  // Pairs still to compare, with their depth.
  const left: Json[] = [a]
  const right: Json[] = [b]
  const depths = [0]
  for (let x = left.pop(), y = right.pop(); x !== undefined && y !== undefined; x = left.pop(), y = right.pop()) {
    const depth = depths.pop() ?? 0
    if (depth > maxValueDepth) throw runtimeError('Equality check too deep')
    const below = (p: Json | undefined, q: Json | undefined): boolean => {
      if (p === q) return true
      if (p === undefined || q === undefined) return false
      if (typeof p === 'object' && typeof q === 'object' && p !== null && q !== null) {
        left.push(p)
        right.push(q)
        depths.push(depth + 1)
        return true
      }
      return (isLiteral(p) || isLiteral(q)) && compare(p, q) === 0
    }
    if (!equalLevel(x, y, below)) return false
  }
  return true
}

/** Compares two containers and passes their members to `below`. */
function equalLevel(a: Json, b: Json, below: (a: Json | undefined, b: Json | undefined) => boolean): boolean {
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i += 1) if (!below(a[i], b[i])) return false
    return true
  }
  if (isLiteral(a) || isLiteral(b)) return compare(a, b) === 0
  const left = a as JsonObject
  const right = b as JsonObject
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && below(left[key], right[key]))
}
