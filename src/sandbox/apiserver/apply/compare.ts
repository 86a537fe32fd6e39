/** Compares two values of one type field by field. */
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
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

export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

export function compare(before: Json, after: Json, structure: Structure): Comparison {
  const root: At = PathCursor.root()
  walk(before, after, structure, root)
  return { removed: root.set('removed'), modified: root.set('modified'), added: root.set('added') }
}

type Side = Json | undefined
type At = PathCursor<keyof Comparison>

function walk(before: Side, after: Side, structure: Structure, at: At): void {
  const left = fitting(structure, before)
  const right = fitting(structure, after)
  // Nothing below equal values can differ.
  if (before !== undefined && after !== undefined && (before === after || sameScalar(before, after))) return
  let isLeaf: boolean
  if (after === undefined) isLeaf = visit(before, after, left, at)
  else if (before === undefined || sameForm(left, right)) isLeaf = visit(before, after, right, at)
  else {
    visit(before, after, left, at)
    isLeaf = visit(before, after, right, at)
  }
  if (isLeaf) return
  if (before === undefined) at.mark('added')
  else if (after === undefined) at.mark('removed')
}

function sameScalar(before: Json, after: Json): boolean {
  return typeof before !== 'object' && before === after
}

function sameForm(left: Structure, right: Structure): boolean {
  return left.map === right.map && left.list === right.list && left.scalar === right.scalar
}

/** Returns whether the value was compared as a whole. */
function visit(before: Side, after: Side, structure: Structure, at: At): boolean {
  const { map, scalar, list } = structure
  if (map !== undefined) return visitMap(before, after, map, at)
  if (scalar !== undefined) return leaf(before, after, at)
  if (list !== undefined) return visitList(before, after, list, at)
  return leaf(before, after, at)
}

function leaf(before: Side, after: Side, at: At): true {
  if (before === undefined) at.mark('added')
  else if (after === undefined) at.mark('removed')
  else if (!equal(before, after)) at.mark('modified')
  return true
}

function visitMap(before: Side, after: Side, map: MapStructure, at: At): boolean {
  const left: JsonObject = isJsonObject(before) ? before : {}
  const right: JsonObject = isJsonObject(after) ? after : {}
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  if (map.atomic || names.size === 0) return leaf(before, after, at)
  for (const name of names) {
    walk(left[name], right[name], fieldStructure(map, name), at.below(fieldElement(name)))
  }
  return false
}

function visitList(before: Side, after: Side, list: ListStructure, at: At): boolean {
  const left = Array.isArray(before) ? (before as readonly Json[]) : []
  const right = Array.isArray(after) ? (after as readonly Json[]) : []
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(before, after, at)
  const leftItems = byElement(list, left)
  const rightItems = byElement(list, right)
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const inner = at.below(element)
    const old = leftItems.get(element) ?? []
    const young = rightItems.get(element) ?? []
    if (old.length <= 1 && young.length <= 1) walk(old[0], young[0], list.element(), inner)
    else if (old.length >= 2 && young.length >= 2) {
      if (!equal([...old], [...young])) inner.mark('modified')
    } else if (old.length >= 2) {
      if (young.length > 0) walk(undefined, young[0], list.element(), inner)
      inner.mark('removed')
    } else {
      if (old.length > 0) walk(old[0], undefined, list.element(), inner)
      inner.mark('added')
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
