/**
 * Functions of a single value: type, text, keys and paths.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { JqError, runtimeError } from '../error.ts'
import { parseJson } from '../json/parse.ts'
import { print } from '../json/print.ts'
import { type Meter, maxValueDepth } from '../limits.ts'
import { compare, equals, sortedKeys } from '../values/compare.ts'
import { describe } from '../values/describe.ts'
import { isArray, isObject, kindOf, toDouble } from '../values/kind.ts'
import { absoluteLiteral, isLiteral, parseNumber } from '../values/literal.ts'
import { Draft, getPath, toPath } from '../values/paths.ts'
import { codePointLength } from '../values/text.ts'
import { formatText, toJson, toText } from './formats.ts'

/** An error can have any value; its message contains the beginning of the value. */
const maxMessageLength = 10_000

export const valueFunctions: Readonly<Record<string, Native>> = {
  'null/0': () => null,
  'true/0': () => true,
  'false/0': () => false,
  'type/0': (input) => kindOf(input),
  'length/0': (input) => lengthOf(input),
  'abs/0': (input) => absolute(input),
  'toarray/0': (input) => (isArray(input) ? input : [input]),
  'error/0': (input) => {
    throw new JqError(
      'runtime',
      typeof input === 'string' ? input : `(not a string): ${print(input, { maxLength: maxMessageLength })}`,
      { value: input },
    )
  },
  'tojson/0': (input, _args, { meter }) => toJson(input, meter),
  'fromjson/0': (input) => {
    if (typeof input !== 'string') throw runtimeError(`${describe(input)} only strings can be parsed`)
    return parseJson(input)
  },
  'tostring/0': (input, _args, { meter }) => toText(input, meter),
  'tonumber/0': (input) => {
    if (kindOf(input) === 'number') return input
    const number = typeof input === 'string' && /^[-+\d.]/.test(input) ? parseNumber(input) : undefined
    if (number === undefined) throw runtimeError(`${describe(input)} cannot be parsed as a number`)
    return number
  },
  'toboolean/0': (input) => {
    if (typeof input === 'boolean') return input
    if (input === 'true' || input === 'false') return input === 'true'
    throw runtimeError(`${describe(input)} cannot be parsed as a boolean`)
  },
  'format/1': (input, [name = null], { meter }) => {
    if (typeof name !== 'string') throw runtimeError(`${describe(name)} is not a valid format`)
    return formatText(name, input, meter)
  },
  'keys/0': (input) => keysOf(input, sortedKeys),
  'keys_unsorted/0': (input) => keysOf(input, Object.keys),
  'has/1': (input, [key = null]) => has(input, key),
  'contains/1': (input, [part = null], { meter }) => containsAll(input, part, meter),
  'getpath/1': (input, [path = null]) => getPath(input, toPath(path)),
  'setpath/2': (input, [path = null, value = null], { meter }) => {
    const draft = new Draft(input, meter)
    draft.set(toPath(path), value)
    return draft.value
  },
  'delpaths/1': (input, [paths = null], { meter }) => {
    if (!isArray(paths)) throw runtimeError('Paths must be specified as an array')
    const draft = new Draft(input, meter)
    draft.delete(
      [...paths].sort(compare).map((path) => {
        if (!isArray(path)) throw runtimeError(`Path must be specified as array, not ${kindOf(path)}`)
        return toPath(path)
      }),
    )
    return draft.value
  },
  'min/0': (input) => extreme(input, input, -1),
  'max/0': (input) => extreme(input, input, 1),
  '_min_by/1': (input, [keys = null]) => extreme(input, keys, -1),
  '_max_by/1': (input, [keys = null]) => extreme(input, keys, 1),
}

export function lengthOf(value: Json): Json {
  switch (kindOf(value)) {
    case 'null':
      return 0
    case 'string':
      return codePointLength(value as string)
    case 'array':
      return (value as readonly Json[]).length
    case 'object':
      return Object.keys(value as object).length
    case 'number':
      return absolute(value)
    case 'boolean':
      throw runtimeError(`${describe(value)} has no length`)
  }
}

function absolute(value: Json): Json {
  if (typeof value === 'number') return Math.abs(value)
  if (isLiteral(value)) return absoluteLiteral(value)
  if (compare(value, 0) < 0) throw runtimeError(`${describe(value)} cannot be negated`)
  return value
}

function keysOf(value: Json, keysOfObject: (object: JsonObject) => readonly string[]): Json {
  if (isArray(value)) return value.map((_, index) => index)
  if (isObject(value)) return keysOfObject(value)
  throw runtimeError(`${describe(value)} has no keys`)
}

function has(value: Json, key: Json): boolean {
  if (value === null) return false
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key)
  const position = toDouble(key)
  if (isArray(value) && position !== undefined) return Math.trunc(position) >= 0 && Math.trunc(position) < value.length
  throw runtimeError(`Cannot check whether ${kindOf(value)} has a ${kindOf(key)} key`)
}

function containsAll(value: Json, part: Json, meter: Meter): boolean {
  try {
    return contains(value, part, meter, 0)
  } catch (error) {
    if (error instanceof RangeError) throw runtimeError('Containment check too deep')
    throw error
  }
}

function contains(value: Json, part: Json, meter: Meter, depth: number): boolean {
  if (depth > maxValueDepth) throw runtimeError('Containment check too deep')
  if (--meter.left < 0) meter.exhausted()
  if (isObject(value) && isObject(part)) {
    return Object.keys(part).every(
      (key) => Object.hasOwn(value, key) && containsInside(value[key] as Json, part[key] as Json, meter, depth + 1),
    )
  }
  if (isArray(value) && isArray(part)) {
    return part.every((wanted) => value.some((item) => containsInside(item, wanted, meter, depth + 1)))
  }
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part)
  if (kindOf(value) === kindOf(part) && (typeof value !== 'boolean' || value === part)) return equals(value, part)
  throw runtimeError(`${describe(value)} and ${describe(part)} cannot have their containment checked`)
}

/** Inside arrays and objects, different kinds are not an error but not contained. */
function containsInside(value: Json, part: Json, meter: Meter, depth: number): boolean {
  if (typeof value === 'boolean') return value === part
  return kindOf(value) === kindOf(part) && contains(value, part, meter, depth)
}

function extreme(input: Json, keys: Json, direction: number): Json {
  if (!isArray(input) || !isArray(keys)) {
    throw runtimeError(`${describe(input)} and ${describe(keys)} cannot be iterated over`)
  }
  let best = 0
  for (let i = 1; i < input.length; i += 1) {
    const order = compare(keys[i] ?? null, keys[best] ?? null)
    // Among equal values, the first is the minimum and the last the maximum.
    if (direction < 0 ? order < 0 : order >= 0) best = i
  }
  return input[best] ?? null
}
