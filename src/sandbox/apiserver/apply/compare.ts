/**
 * What changed between two values of one type, field by field.
 */
import { equal } from '../../../patch/index.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
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

export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

export function compare(before: Json, after: Json, structure: Structure): Comparison {
  const comparison = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() }
  walk(before, after, structure, [], comparison)
  return comparison
}

type Side = Json | undefined

function walk(before: Side, after: Side, structure: Structure, path: FieldPath, into: Comparison): void {
  const left = fitting(structure, before)
  const right = fitting(structure, after)
  // Equal parts need no walk: nothing below them can differ.
  if (before !== undefined && after !== undefined && (before === after || sameScalar(before, after))) return
  let isLeaf: boolean
  if (after === undefined) isLeaf = visit(before, after, left, path, into)
  else if (before === undefined || sameForm(left, right)) isLeaf = visit(before, after, right, path, into)
  else {
    visit(before, after, left, path, into)
    isLeaf = visit(before, after, right, path, into)
  }
  if (isLeaf) return
  if (before === undefined) into.added.insert(path)
  else if (after === undefined) into.removed.insert(path)
}

function sameScalar(before: Json, after: Json): boolean {
  return typeof before !== 'object' && before === after
}

function sameForm(left: Structure, right: Structure): boolean {
  return left.map === right.map && left.list === right.list && left.scalar === right.scalar
}

/** Returns whether the value was taken as a whole. */
function visit(before: Side, after: Side, structure: Structure, path: FieldPath, into: Comparison): boolean {
  const { map, scalar, list } = structure
  if (map !== undefined) return visitMap(before, after, map, path, into)
  if (scalar !== undefined) return leaf(before, after, path, into)
  if (list !== undefined) return visitList(before, after, list, path, into)
  return leaf(before, after, path, into)
}

function leaf(before: Side, after: Side, path: FieldPath, into: Comparison): true {
  if (before === undefined) into.added.insert(path)
  else if (after === undefined) into.removed.insert(path)
  else if (!equal(before, after)) into.modified.insert(path)
  return true
}

function visitMap(before: Side, after: Side, map: MapStructure, path: FieldPath, into: Comparison): boolean {
  const left: JsonObject = isJsonObject(before) ? before : {}
  const right: JsonObject = isJsonObject(after) ? after : {}
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  if (map.atomic || names.size === 0) return leaf(before, after, path, into)
  for (const name of names) {
    walk(left[name], right[name], fieldStructure(map, name), [...path, fieldElement(name)], into)
  }
  return false
}

function visitList(before: Side, after: Side, list: ListStructure, path: FieldPath, into: Comparison): boolean {
  const left = Array.isArray(before) ? (before as readonly Json[]) : []
  const right = Array.isArray(after) ? (after as readonly Json[]) : []
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(before, after, path, into)
  const leftItems = byElement(list, left)
  const rightItems = byElement(list, right)
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const inner = [...path, element]
    const old = leftItems.get(element) ?? []
    const young = rightItems.get(element) ?? []
    if (old.length <= 1 && young.length <= 1) walk(old[0], young[0], list.element(), inner, into)
    else if (old.length >= 2 && young.length >= 2) {
      if (!equal([...old], [...young])) into.modified.insert(inner)
    } else if (old.length >= 2) {
      if (young.length > 0) walk(undefined, young[0], list.element(), inner, into)
      into.removed.insert(inner)
    } else {
      if (old.length > 0) walk(old[0], undefined, list.element(), inner, into)
      into.added.insert(inner)
    }
  }
  return false
}

function byElement(list: ListStructure, items: readonly Json[]): Map<Element, Json[]> {
  const found = new Map<Element, Json[]>()
  for (const item of items) {
    const element = itemElement(list, item)
    const same = found.get(element)
    if (same === undefined) found.set(element, [item])
    else same.push(item)
  }
  return found
}
