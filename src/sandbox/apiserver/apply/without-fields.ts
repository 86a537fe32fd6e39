/** Removes a set of fields from a value. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { fieldElement } from './element.ts'
import type { FieldSet } from './field-set.ts'
import {
  fieldStructure,
  fitting,
  itemElement,
  type ListStructure,
  type MapStructure,
  type Structure,
} from './structure.ts'

/** Null when nothing is left: an atomic value is removed as a whole when the set has something below it. */
export function withoutFields(value: Json, fields: FieldSet, structure: Structure): Json {
  const { map, scalar, list } = fitting(structure, value)
  if (map !== undefined) return withoutKeys(value, fields, map)
  if (scalar !== undefined) return value
  if (list !== undefined) return withoutItems(value, fields, list)
  return value
}

function withoutKeys(value: Json, fields: FieldSet, map: MapStructure): Json {
  if (!isJsonObject(value) || map.atomic) return null
  const kept: Record<string, Json> = {}
  for (const [name, content] of Object.entries(value)) {
    const element = fieldElement(name)
    if (fields.has(element)) continue
    const below = fields.below(element)
    const left = below === undefined ? content : withoutFields(content, below, fieldStructure(map, name))
    if (below === undefined || left !== null) kept[name] = left
  }
  return Object.keys(kept).length === 0 ? null : kept
}

function withoutItems(value: Json, fields: FieldSet, list: ListStructure): Json {
  if (!Array.isArray(value) || list.atomic) return null
  const kept: Json[] = []
  for (const item of value as readonly Json[]) {
    const element = itemElement(list, item)
    if (fields.has(element)) continue
    const below = fields.below(element)
    kept.push(below === undefined ? item : withoutFields(item, below, list.element()))
  }
  return kept.length === 0 ? null : kept
}
