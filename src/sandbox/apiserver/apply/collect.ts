/**
 * The fields a value sets, as ownership counts them: leaves, list items, and the keys of free maps.
 */
import type { Json } from '../../../runtime/json.ts'
import { isJsonObject } from '../../../runtime/json.ts'
import { type Element, fieldElement } from './element.ts'
import { type FieldPath, FieldSet } from './field-set.ts'
import {
  fieldStructure,
  fitting,
  itemElement,
  type ListStructure,
  type MapStructure,
  type Structure,
} from './structure.ts'

export function fieldsOf(value: Json, structure: Structure): FieldSet {
  const set = new FieldSet()
  collect(value, structure, [], set)
  return set
}

function collect(value: Json, structure: Structure, path: FieldPath, set: FieldSet): void {
  const { map, scalar, list } = fitting(structure, value)
  if (map !== undefined) collectMap(value, map, path, set)
  else if (scalar !== undefined) set.insert(path)
  else if (list !== undefined) collectList(value, list, path, set)
}

function collectMap(value: Json, map: MapStructure, path: FieldPath, set: FieldSet): void {
  if (map.atomic) {
    set.insert(path)
    return
  }
  if (!isJsonObject(value)) return
  for (const [name, content] of Object.entries(value)) {
    const inner = [...path, fieldElement(name)]
    collect(content, fieldStructure(map, name), inner, set)
    const isEmpty = content === null || (isJsonObject(content) && Object.keys(content).length === 0)
    if (isEmpty || map.field(name) === undefined) set.insert(inner)
  }
}

function collectList(value: Json, list: ListStructure, path: FieldPath, set: FieldSet): void {
  if (list.atomic) {
    set.insert(path)
    return
  }
  if (!Array.isArray(value)) return
  const items = value as readonly Json[]
  const elements = items.map((item) => itemElement(list, item))
  const counts = new Map<Element, number>()
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1)
  elements.forEach((element, index) => {
    const inner = [...path, element]
    // Items that share a key are owned as one value, not field by field.
    if (counts.get(element) === 1) collect(items[index] ?? null, list.element(), inner, set)
    set.insert(inner)
  })
}
