/**
 * Converts JSON to CEL values: integers become 64-bit integers, and strings with a format in their schema become timestamps, durations
 * or bytes. Members of objects get the escaped names that expressions use.
 */
import { Duration } from '@marcbachmann/cel-js/evaluator'
import { fromBase64, isJsonObject, type Json } from '../../runtime/index.ts'
import { checkDepth } from '../depth.ts'
import type { SchemaNode } from '../node.ts'
import { escapeName } from './names.ts'

/** A value of an expression; created by `celValue` or by functions of the library. */
export type CelValue = unknown

/** Converted values by their JSON, so that several rules convert an object once. */
export type ConvertedValues = Map<Json, CelValue>

export function celValue(value: Json, node?: SchemaNode, converted?: ConvertedValues, depth = 0): CelValue {
  if (typeof value === 'number') {
    return node?.schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value)
  }
  if (typeof value === 'string') return node?.format === undefined ? value : formatted(value, node.format)
  if (typeof value !== 'object' || value === null) return value
  checkDepth(depth)
  const known = converted?.get(value)
  if (known !== undefined) return known
  const result = isJsonObject(value)
    ? celObject(Object.entries(value), node, converted, depth)
    : value.map((element) => celValue(element, node?.items, converted, depth + 1))
  converted?.set(value, result)
  return result
}

function celObject(
  entries: readonly (readonly [string, Json])[],
  node: SchemaNode | undefined,
  converted: ConvertedValues | undefined,
  depth: number,
): CelValue {
  const members: [string, CelValue][] = []
  for (const [key, member] of entries) {
    const property = node?.properties.get(key)
    // A null property counts as absent, so that has() is false.
    if (property !== undefined && member === null) continue
    const value = celValue(member, property ?? node?.child(key), converted, depth + 1)
    members.push([property === undefined ? key : escapeName(key), value])
  }
  // The CEL library reads `constructor` of objects, so a member with this name must not be found there.
  const misleading = members.some(([name]) => name === 'constructor' || name === '__proto__')
  return misleading ? new Map(members) : Object.fromEntries(members)
}

function formatted(text: string, format: string): CelValue {
  switch (format) {
    case 'date-time':
    case 'datetime':
    case 'date': {
      const time = Date.parse(text)
      return Number.isNaN(time) ? text : new Date(time)
    }
    case 'duration': {
      const nanoseconds = durationNanoseconds(text)
      return nanoseconds === undefined
        ? text
        : new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n))
    }
    case 'byte':
      try {
        return fromBase64(text)
      } catch {
        return text
      }
    default:
      return text
  }
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Durations of Go; fractions have up to nine digits. */
function durationNanoseconds(text: string): bigint | undefined {
  const parts = /^([+-]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text)
  if (parts === null) return text === '0' ? 0n : undefined
  let total = 0n
  for (const [, whole, fraction, unit] of (parts[2] ?? '').matchAll(/(\d+)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = units[unit ?? ''] ?? 0n
    total += BigInt(whole ?? 0) * scale
    total += (BigInt((fraction ?? '').slice(0, 9).padEnd(9, '0')) * scale) / 1_000_000_000n
  }
  return parts[1] === '-' ? -total : total
}
