/** Helpers to read table cells from objects. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type ApiObject, at } from '../object.ts'

/** The number at a dotted path, or 0. */
export function count(object: JsonObject, path: string): number {
  const value = at(object, ...path.split('.'))
  return typeof value === 'number' ? value : 0
}

/** The text at a dotted path, or `otherwise`. */
export function text(object: JsonObject, path: string, otherwise = ''): string {
  const value = at(object, ...path.split('.'))
  return value === undefined || value === null || value === '' ? otherwise : String(value)
}

export function list(object: JsonObject, path: string): readonly JsonObject[] {
  const value = at(object, ...path.split('.'))
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

export function strings(object: JsonObject, path: string): readonly string[] {
  const value = at(object, ...path.split('.'))
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : []
}

export function size(object: JsonObject, path: string): number {
  const value = at(object, ...path.split('.'))
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : 0
}

export function isTrueCondition(object: JsonObject, type: string): boolean {
  return list(object, 'status.conditions').some(
    (condition) => condition['type'] === type && condition['status'] === 'True',
  )
}

/** Names and images of containers, each in one cell. */
export function containerCells(object: JsonObject, path: string): [string, string] {
  const containers = list(object, path)
  return [containers.map((one) => text(one, 'name')).join(','), containers.map((one) => text(one, 'image')).join(',')]
}

export function labelCell(object: JsonObject, path: string): string {
  const labels = at(object, ...path.split('.'))
  const pairs = isJsonObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : []
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}

/** A label selector in command line syntax. */
export function selectorCell(object: JsonObject, path: string): string {
  const labels = at(object, ...path.split('.'), 'matchLabels')
  const pairs: [string, string][] = isJsonObject(labels)
    ? Object.entries(labels).map(([key, value]) => [key, `${key}=${String(value)}`])
    : []
  for (const expression of list(object, `${path}.matchExpressions`)) {
    const key = text(expression, 'key')
    const values = [...strings(expression, 'values')].sort().join(',')
    const phrases: Readonly<Record<string, string>> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    }
    pairs.push([key, phrases[text(expression, 'operator')] ?? key])
  }
  if (pairs.length === 0) return '<none>'
  return pairs
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, phrase]) => phrase)
    .join(',')
}

/** The first three items and the number of the rest. */
export function shortList(items: readonly string[], empty: string): string {
  const shown = items.slice(0, 3).join(',')
  if (items.length > 3) return `${shown} + ${items.length - 3} more...`
  return shown === '' ? empty : shown
}

export function annotation(object: ApiObject, name: string): string | undefined {
  return object.metadata.annotations?.[name]
}
