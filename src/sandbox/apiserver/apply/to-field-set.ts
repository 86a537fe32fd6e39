/** The set of fields that a value sets: leaves, list items and the keys of free-form maps. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type Element, fieldElement } from './element.ts'
import type { FieldSet } from './field-set.ts'
import { PathCursor } from './path-cursor.ts'
import {
  fieldStructure,
  fitting,
  itemElement,
  type ListStructure,
  type MapStructure,
  type Structure,
} from './structure.ts'

type At = PathCursor<'fields'>

export function toFieldSet(value: Json, structure: Structure): FieldSet {
  const root: At = PathCursor.root()
  walk(value, structure, root)
  return root.set('fields')
}

function walk(value: Json, structure: Structure, at: At): void {
  const { map, scalar, list } = fitting(structure, value)
  if (map !== undefined) walkMap(value, map, at)
  else if (scalar !== undefined) at.mark('fields')
  else if (list !== undefined) walkList(value, list, at)
}

function walkMap(value: Json, map: MapStructure, at: At): void {
  if (map.atomic) {
    at.mark('fields')
    return
  }
  if (!isJsonObject(value)) return
  for (const [name, content] of Object.entries(value)) {
    const inner = at.below(fieldElement(name))
    walk(content, fieldStructure(map, name), inner)
    const isEmpty = content === null || (isJsonObject(content) && Object.keys(content).length === 0)
    if (isEmpty || map.field(name) === undefined) inner.mark('fields')
  }
}

function walkList(value: Json, list: ListStructure, at: At): void {
  if (list.atomic) {
    at.mark('fields')
    return
  }
  if (!Array.isArray(value)) return
  const items = value as readonly Json[]
  const elements = items.map((item) => itemElement(list, item))
  const counts = new Map<Element, number>()
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1)
  elements.forEach((element, index) => {
    const inner = at.below(element)
    // Items that share a key are owned as one value, not field by field.
    if (counts.get(element) === 1) walk(items[index] ?? null, list.element(), inner)
    inner.mark('fields')
  })
}
