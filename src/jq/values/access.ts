/**
 * Reads one level of a value: `.[key]` for every kind of key, and the bounds of slices.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import { equals } from './compare.ts'
import { describe } from './describe.ts'
import { isArray, isObject, kindOf, toDouble } from './kind.ts'
import { codePointLength, sliceCodePoints } from './text.ts'

export function lookUp(value: Json, key: Json): Json {
  if (typeof key === 'string') {
    if (isObject(value)) return Object.hasOwn(value, key) ? (value[key] ?? null) : null
    if (value === null) return null
    throw cannotIndex(value, key)
  }
  const position = toDouble(key)
  if (position !== undefined) {
    if (isArray(value)) return elementAt(value, position)
    if (value === null) return null
    throw cannotIndex(value, key)
  }
  if (isObject(key)) {
    if (isArray(value)) {
      const { start, end } = sliceBounds(key, value.length)
      return value.slice(start, end)
    }
    if (typeof value === 'string') {
      const { start, end } = sliceBounds(key, codePointLength(value))
      return sliceCodePoints(value, start, end)
    }
    if (value === null) return null
  }
  if (isArray(key) && isArray(value)) return positionsOf(value, key)
  throw cannotIndex(value, key)
}

/** Like `lookUp`, but returns undefined instead of throwing. */
export function lookUpOptional(value: Json, key: Json): Json | undefined {
  if (typeof key === 'string') {
    if (isObject(value)) return Object.hasOwn(value, key) ? (value[key] ?? null) : null
    return value === null ? null : undefined
  }
  try {
    return lookUp(value, key)
  } catch {
    return undefined
  }
}

export function elementAt(array: readonly Json[], position: number): Json {
  if (position >= 0) return array[Math.trunc(position)] ?? null
  if (Number.isNaN(position)) return null
  const index = Math.trunc(position) + (Math.trunc(position) === 0 ? 0 : array.length)
  return array[index] ?? null
}

export function cannotIndex(value: Json, key: Json): Error {
  return runtimeError(`Cannot index ${kindOf(value)} with ${describe(key)}`)
}

export function cannotIterate(value: Json): Error {
  return runtimeError(`Cannot iterate over ${describe(value)}`)
}

/** A slice key is an object with `start` and `end`; either may be null. Ends are exclusive and round up. */
export function sliceBounds(key: JsonObject, length: number): { start: number; end: number } {
  if (!Object.hasOwn(key, 'start') || !Object.hasOwn(key, 'end')) throw badSlice()
  let start = sliceEdge(key['start'] ?? null, 0)
  let end = sliceEdge(key['end'] ?? null, length)
  if (start < 0) start += length
  if (end < 0) end += length
  start = Math.min(Math.max(start, 0), length)
  end = Math.min(end, length)
  return end < start
    ? { start: Math.trunc(start), end: Math.trunc(start) }
    : { start: Math.trunc(start), end: Math.ceil(end) }
}

function sliceEdge(value: Json, missing: number): number {
  if (value === null) return missing
  const edge = toDouble(value)
  if (edge === undefined) throw badSlice()
  return Number.isNaN(edge) ? missing : edge
}

function badSlice(): Error {
  return runtimeError('Array/string slice indices must be integers')
}

function positionsOf(array: readonly Json[], wanted: readonly Json[]): Json {
  if (wanted.length === 0) return []
  const found: number[] = []
  for (let at = 0; at + wanted.length <= array.length; at += 1) {
    if (wanted.every((item, i) => equals(array[at + i] ?? null, item))) found.push(at)
  }
  return found
}
