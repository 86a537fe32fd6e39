/**
 * The difference of two documents as a small RFC 6902 patch. Objects are compared member by member, lists by their longest common
 * subsequence; when the operations would be longer than the new value, the value is replaced.
 */
import { append, isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { alignLists } from './alignment.ts'
import { maxDepth, tooDeep } from './errors.ts'
import type { Operation } from './operation.ts'
import { escapeToken } from './pointer.ts'

/** `applyJsonPatch(a, diff(a, b))` equals `b`. */
export function diff(a: Json, b: Json): Operation[] {
  return difference(a, b, '', 0)
}

function difference(a: Json, b: Json, path: string, depth: number): Operation[] {
  if (a === b) return []
  if (depth > maxDepth) throw tooDeep()
  let operations: Operation[] | undefined
  if (Array.isArray(a) && Array.isArray(b)) operations = listDifference(a, b, path, depth)
  else if (isJsonObject(a) && isJsonObject(b)) operations = objectDifference(a, b, path, depth)
  if (operations?.length === 0) return operations
  const whole = { op: 'replace', path, value: b } as const
  return operations !== undefined && !shorter(whole, operations) ? operations : [whole]
}

function objectDifference(a: JsonObject, b: JsonObject, path: string, depth: number): Operation[] {
  const operations: Operation[] = []
  for (const key of Object.keys(a)) {
    if (!Object.hasOwn(b, key)) operations.push({ op: 'remove', path: `${path}/${escapeToken(key)}` })
  }
  for (const key of Object.keys(b)) {
    const value = b[key]
    if (value === undefined) continue
    const below = `${path}/${escapeToken(key)}`
    const old = Object.hasOwn(a, key) ? a[key] : undefined
    if (old === undefined) operations.push({ op: 'add', path: below, value })
    else append(operations, difference(old, value, below, depth + 1))
  }
  return operations
}

function listDifference(a: readonly Json[], b: readonly Json[], path: string, depth: number): Operation[] {
  const operations: Operation[] = []
  let shift = 0
  for (const run of alignLists(a, b)) {
    const changed = Math.min(run.removed, run.added)
    for (let index = 0; index < changed; index += 1) {
      const old = a[run.from + index] as Json
      append(operations, difference(old, b[run.to + index] as Json, `${path}/${run.from + index + shift}`, depth + 1))
    }
    for (let index = changed; index < run.added; index += 1) {
      operations.push({ op: 'add', path: `${path}/${run.from + index + shift}`, value: b[run.to + index] as Json })
    }
    for (let index = changed; index < run.removed; index += 1) {
      operations.push({ op: 'remove', path: `${path}/${run.from + changed + shift}` })
    }
    shift += run.added - run.removed
  }
  return operations
}

/** Whether a single replacement has a shorter text than the operations. */
function shorter(whole: Operation & { readonly value: Json }, operations: readonly Operation[]): boolean {
  const frame = JSON.stringify([{ ...whole, value: 0 }]).length - 1
  const limit = JSON.stringify(operations).length - frame
  return limit > 0 && textLength(whole.value, limit) < limit
}

/** The length of the JSON text, counted only until it reaches the limit. */
function textLength(value: Json, limit: number): number {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).length
  const parts: readonly Json[] = isJsonObject(value) ? Object.values(value) : value
  let length = 2 + Math.max(0, parts.length - 1)
  if (isJsonObject(value)) for (const key of Object.keys(value)) length += JSON.stringify(key).length + 1
  for (const part of parts) {
    if (length >= limit) break
    length += textLength(part, limit - length)
  }
  return length
}
