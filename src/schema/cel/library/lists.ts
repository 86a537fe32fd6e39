/** Functions of lists and sets: sum, minimum and maximum, sorting, slices, and set comparison. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll, registerNamespace } from './registration.ts'

type Scalar = bigint | number | string | boolean

const maxRange = 100_000n

export function registerLists(environment: Environment): void {
  registerNamespace(environment, 'lists', 'ListsNamespace')
  registerNamespace(environment, 'sets', 'SetsNamespace')
  registerAll(environment, {
    'list.isSorted(): bool': (list: readonly Scalar[]) =>
      list.every((item, index) => index === 0 || !less(item, list[index - 1])),
    'list.sum(): dyn': sum,
    'list.min(): dyn': (list: readonly Scalar[]) => extreme(list, 'min', less),
    'list.max(): dyn': (list: readonly Scalar[]) => extreme(list, 'max', (a, b) => less(b, a)),
    'list.indexOf(dyn): int': (list: readonly unknown[], item: unknown) =>
      BigInt(list.findIndex((other) => same(other, item))),
    'list.lastIndexOf(dyn): int': (list: readonly unknown[], item: unknown) =>
      BigInt(list.findLastIndex((other) => same(other, item))),
    'list.distinct(): list': (list: readonly unknown[]) => distinct(list),
    'list.reverse(): list': (list: readonly unknown[]) => list.toReversed(),
    'list.sort(): list': (list: readonly Scalar[]) => list.toSorted((a, b) => (less(a, b) ? -1 : less(b, a) ? 1 : 0)),
    'list.slice(int, int): list': slice,
    'list.flatten(): list': (list: readonly unknown[]) => list.flat(1),
    'list.flatten(int): list': (list: readonly unknown[], depth: bigint) => list.flat(Math.min(Number(depth), 100)),
    'ListsNamespace.range(int): list<int>': range,
    'SetsNamespace.contains(list, list): bool': (_: unknown, list: readonly unknown[], sub: readonly unknown[]) =>
      includesAll(list, sub),
    'SetsNamespace.equivalent(list, list): bool': (_: unknown, a: readonly unknown[], b: readonly unknown[]) =>
      includesAll(a, b) && includesAll(b, a),
    'SetsNamespace.intersects(list, list): bool': (_: unknown, a: readonly unknown[], b: readonly unknown[]) => {
      const keys = new Set(a.map(identity))
      return b.some((item) => keys.has(identity(item)))
    },
  })
}

function less(a: Scalar, b: Scalar | undefined): boolean {
  return b !== undefined && a < b
}

function sum(list: readonly unknown[]): unknown {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total, item) => total + item, 0n)
  if (list.every((item) => typeof item === 'number')) return list.reduce((total, item) => total + item, 0)
  throw new TypeError('no such overload: sum of a list that is neither of int nor of double')
}

function extreme(list: readonly Scalar[], name: string, before: (a: Scalar, b: Scalar) => boolean): Scalar {
  const [first, ...rest] = list
  if (first === undefined) throw new RangeError(`${name} called on empty list`)
  return rest.reduce((best, item) => (before(item, best) ? item : best), first)
}

function slice(list: readonly unknown[], start: bigint, end: bigint): readonly unknown[] {
  if (start < 0n || end < start || end > BigInt(list.length)) {
    throw new RangeError(`cannot slice(${start}, ${end}), list has ${list.length} elements`)
  }
  return list.slice(Number(start), Number(end))
}

function range(_: unknown, count: bigint): bigint[] {
  if (count > maxRange) throw new RangeError(`lists.range(${count}) has more than ${maxRange} elements`)
  return Array.from({ length: Math.max(0, Number(count)) }, (__, index) => BigInt(index))
}

function distinct(list: readonly unknown[]): unknown[] {
  const seen = new Map<unknown, unknown>()
  for (const item of list) if (!seen.has(identity(item))) seen.set(identity(item), item)
  return [...seen.values()]
}

function includesAll(list: readonly unknown[], sub: readonly unknown[]): boolean {
  const keys = new Set(list.map(identity))
  return sub.every((item) => keys.has(identity(item)))
}

function same(a: unknown, b: unknown): boolean {
  return a === b || identity(a) === identity(b)
}

/** A key that is equal for equal values; int and double with the same value are equal. */
function identity(value: unknown): unknown {
  if (typeof value === 'bigint' && value >= -(2n ** 53n) && value <= 2n ** 53n) return Number(value)
  if (typeof value !== 'object' || value === null) return value
  return `json:${JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return Number(part)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })}`
}
