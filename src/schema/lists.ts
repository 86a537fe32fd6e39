/** Validates lists of type set or map: no element, or no combination of keys, may occur twice. */
import { isJsonObject, type Json } from '../runtime/index.ts'
import type { FieldError } from './field-error.ts'
import type { Finding, Visit } from './findings.ts'
import type { SchemaNode } from './node.ts'
import { fieldPath, joinPaths } from './paths.ts'
import { stableText } from './text.ts'

export function checkList(visit: Visit, root: SchemaNode, base: string): readonly Finding[] {
  const list = visit.value as readonly Json[]
  const place = (index: number): string => joinPaths(base, fieldPath([...visit.path, index], root))
  const finding = (error: FieldError): Finding => ({ ...error, at: visit.path })
  if (visit.node.schema['x-kubernetes-list-type'] === 'set') {
    return repeated(list).map((index) => finding(duplicate(place(index), list[index] as Json)))
  }
  const stranger = list.findIndex((element) => element !== null && !isJsonObject(element))
  if (stranger >= 0) {
    return [
      finding({
        type: 'FieldValueInvalid',
        field: place(stranger),
        badValue: list[stranger] as Json,
        detail: 'must be an object for an array of list-type map',
        rule: 'x-kubernetes-list-type',
      }),
    ]
  }
  const names = visit.node.schema['x-kubernetes-list-map-keys'] ?? []
  const keys = list.map((element) => keysOf(element, names))
  return repeated(keys).map((index) => finding(duplicate(place(index), keys[index] as Json)))
}

function keysOf(element: Json, names: readonly string[]): Json {
  if (!isJsonObject(element)) return {}
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(element, name) ? [[name, element[name] ?? null]] : [])),
  )
}

/** The index of the second occurrence of each repeated value. */
function repeated(values: readonly Json[]): number[] {
  const counts = new Map<string, number>()
  const result: number[] = []
  for (const [index, value] of values.entries()) {
    const text = stableText(value)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    if (count === 2) result.push(index)
  }
  return result
}

function duplicate(field: string, badValue: Json): FieldError {
  return { type: 'FieldValueDuplicate', field, badValue, detail: '', rule: 'x-kubernetes-list-type' }
}
