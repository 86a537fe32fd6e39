/**
 * Functions of whole arrays and objects: sorting, grouping, entries, flattening.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { runtimeError } from '../error.ts'
import type { Meter } from '../limits.ts'
import { cannotIndex, cannotIterate, lookUp } from '../values/access.ts'
import { add, subtract } from '../values/arithmetic.ts'
import { compare, equals } from '../values/compare.ts'
import { describe } from '../values/describe.ts'
import { isArray, isObject, isTruthy, kindOf, toDouble } from '../values/kind.ts'
import { type MutableObject, setKey } from '../values/object.ts'
import { occurrences } from '../values/text.ts'
import { toText } from './formats.ts'
import { lengthOf } from './value.ts'

export const collectionFunctions: Readonly<Record<string, Native>> = {
  'sort/0': (input, _args, { meter }) => sortBy(input, input, meter).map(([value]) => value),
  'unique/0': (input, _args, { meter }) => groups(input, input, meter).map((group) => group[0] ?? null),
  '_sort_by/1': (input, [keys = null], { meter }) => sortBy(input, keys, meter).map(([value]) => value),
  '_group_by/1': (input, [keys = null], { meter }) => groups(input, keys, meter),
  '_unique_by/1': (input, [keys = null], { meter }) => groups(input, keys, meter).map((group) => group[0] ?? null),
  'add/0': (input, _args, { meter }) => addAll(itemsOf(input), meter),
  'to_entries/0': (input) => {
    if (isArray(input)) return input.map((value, key) => ({ key, value }))
    if (!isObject(input)) throw runtimeError(`${describe(input)} has no keys`)
    return Object.keys(input).map((key) => ({ key, value: input[key] as Json }))
  },
  'from_entries/0': (input) => fromEntries(itemsOf(input)),
  'reverse/0': (input) => {
    if (isArray(input)) return [...input].reverse()
    const length = toDouble(lengthOf(input)) ?? 0
    if (length > 0) throw cannotIndex(input, length - 1)
    return []
  },
  'flatten/1': (input, [depth = null], { meter }) => {
    if (compare(depth, 0) < 0) throw runtimeError('flatten depth must not be negative')
    return flatten(itemsOf(input), depth, meter)
  },
  'join/1': (input, [separator = null], { meter }) => join(itemsOf(input), separator, meter),
  'transpose/0': (input, _args, { meter }) => {
    const rows = itemsOf(input)
    const width = rows.reduce((widest: number, row) => Math.max(widest, toDouble(lengthOf(row)) ?? 0), 0)
    const columns: Json[] = []
    for (let column = 0; column < width; column += 1) {
      meter.spend(rows.length)
      columns.push(rows.map((row) => lookUp(row, column)))
    }
    return columns
  },
  'bsearch/1': (input, [target = null]) => search(input, target),
  'indices/1': (input, [wanted = null]) => {
    if (isArray(input)) return lookUp(input, isArray(wanted) ? wanted : [wanted])
    if (typeof input === 'string' && typeof wanted === 'string') return occurrences(input, wanted)
    return lookUp(input, wanted)
  },
}

function itemsOf(value: Json): readonly Json[] {
  if (isArray(value)) return value
  if (isObject(value)) return Object.values(value)
  throw cannotIterate(value)
}

function sortBy(input: Json, keys: Json, meter: Meter): [Json, Json][] {
  if (!isArray(input) || !isArray(keys)) {
    if (input === keys) throw runtimeError(`${describe(input)} cannot be sorted, as it is not an array`)
    throw runtimeError(`${describe(input)} and ${describe(keys)} cannot be sorted, as they are not both arrays`)
  }
  const sorting = keys
  meter.spend(input.length * 4)
  const pairs = input.map((value, index): [Json, Json] => [value, sorting[index] ?? null])
  return pairs.sort((a, b) => compare(a[1], b[1]))
}

function groups(input: Json, keys: Json, meter: Meter): Json[][] {
  const result: Json[][] = []
  let last: Json | undefined
  for (const [value, key] of sortBy(input, keys, meter)) {
    if (last !== undefined && compare(last, key) === 0) result.at(-1)?.push(value)
    else result.push([value])
    last = key
  }
  return result
}

/** The sum by `+`, but appends to one array or object instead of copying it at every step. */
function addAll(items: readonly Json[], meter: Meter): Json {
  let sum: Json = null
  let own: Json = null
  for (const item of items) {
    if (own !== null && own === sum && isArray(own) && isArray(item)) {
      meter.spend(item.length)
      for (const value of item) (own as Json[]).push(value)
    } else if (own !== null && own === sum && isObject(own) && isObject(item)) {
      for (const key of Object.keys(item)) setKey(own as MutableObject, key, item[key] as Json)
      meter.spend(1)
    } else {
      const next = add(sum, item, meter)
      // An operand must not be changed; only a sum created here may be.
      own = next !== sum && next !== item && typeof next === 'object' ? next : null
      sum = next
    }
  }
  return sum
}

function fromEntries(entries: readonly Json[]): JsonObject {
  const object: MutableObject = {}
  for (const entry of entries) {
    const key = entryKey(entry)
    if (typeof key !== 'string') throw runtimeError(`Cannot use ${describe(key)} as object key`)
    setKey(object, key, lookUp(entry, hasValue(entry) ? 'value' : 'Value'))
  }
  return object
}

const keyNames = ['key', 'Key', 'name', 'Name'] as const

function entryKey(entry: Json): Json {
  for (const name of keyNames) {
    const key = lookUp(entry, name)
    if (isTruthy(key)) return key
  }
  return null
}

function hasValue(entry: Json): boolean {
  if (!isObject(entry)) throw runtimeError(`Cannot check whether ${kindOf(entry)} has a string key`)
  return Object.hasOwn(entry, 'value')
}

function flatten(items: readonly Json[], depth: Json, meter: Meter): Json[] {
  const out: Json[] = []
  const open: { items: readonly Json[]; next: number; depth: Json }[] = [{ items, next: 0, depth }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const item = top.items[top.next]
    top.next += 1
    if (item === undefined) open.pop()
    else if (isArray(item) && !equals(top.depth, 0)) {
      meter.spend(item.length + 1)
      open.push({ items: item, next: 0, depth: subtract(top.depth, 1, meter) })
    } else out.push(item)
  }
  return out
}

function join(items: readonly Json[], separator: Json, meter: Meter): Json {
  if (items.length === 0) return ''
  let text: Json = null
  for (const item of items) {
    const kind = kindOf(item)
    const part = kind === 'number' || kind === 'boolean' ? toText(item, meter) : item === null ? '' : item
    text = add(text === null ? '' : add(text, separator, meter), part, meter)
  }
  return text
}

/** The position of the target in a sorted array; when it is missing, `-1 - position` of its insertion. */
function search(input: Json, target: Json): number {
  if (!isArray(input)) throw runtimeError(`${describe(input)} cannot be searched from`)
  let low = 0
  let high = input.length
  while (low < high) {
    const middle = (low + high) >> 1
    const order = compare(input[middle] ?? null, target)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return -1 - low
}
