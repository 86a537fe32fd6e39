/**
 * The fields a value sets, as ownership counts them: leaves, list items, and the keys of free maps.
 */
import type { Json } from '../../../runtime/json.ts'
import { isJsonObject } from '../../../runtime/json.ts'
import { type Element, fieldElement } from './element.ts'
import type { FieldSet } from './field-set.ts'
import { Place } from './place.ts'
import {
  fieldStructure,
  fitting,
  itemElement,
  type ListStructure,
  type MapStructure,
  type Structure,
} from './structure.ts'

type At = Place<'fields'>

export function fieldsOf(value: Json, structure: Structure): FieldSet {
  const root: At = Place.root()
  collect(value, structure, root)
  return root.set('fields')
}

function collect(value: Json, structure: Structure, at: At): void {
  const { map, scalar, list } = fitting(structure, value)
  if (map !== undefined) collectMap(value, map, at)
  else if (scalar !== undefined) at.mark('fields')
  else if (list !== undefined) collectList(value, list, at)
}

function collectMap(value: Json, map: MapStructure, at: At): void {
  if (map.atomic) {
    at.mark('fields')
    return
  }
  if (!isJsonObject(value)) return
  for (const [name, content] of Object.entries(value)) {
    const inner = at.below(fieldElement(name))
    collect(content, fieldStructure(map, name), inner)
    const isEmpty = content === null || (isJsonObject(content) && Object.keys(content).length === 0)
    if (isEmpty || map.field(name) === undefined) inner.mark('fields')
  }
}

function collectList(value: Json, list: ListStructure, at: At): void {
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
    if (counts.get(element) === 1) collect(items[index] ?? null, list.element(), inner)
    inner.mark('fields')
  })
}
