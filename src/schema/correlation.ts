/**
 * Finds the old value of a part of an updated object. Members correspond by name, elements of list maps by their keys; elements of other
 * lists have no old value.
 */
import { isJsonObject, type Json } from '../runtime/index.ts'
import type { SchemaNode } from './node.ts'
import type { PathSegment } from './paths.ts'
import { stableText } from './text.ts'

/** The old value at a path of the new object; undefined when there is none. */
export function oldValueAt(path: readonly PathSegment[], root: SchemaNode, value: Json, old: Json): Json | undefined {
  let last: Json | undefined
  const complete = descend(path, root, value, old, (_, before) => {
    last = before
    return false
  })
  return complete ? last : undefined
}

/** Whether the value at the path, or one of its ancestors, is unchanged by the update. */
export function isUnchanged(path: readonly PathSegment[], root: SchemaNode, value: Json, old: Json): boolean {
  let unchanged = false
  descend(path, root, value, old, (now, before, node) => {
    unchanged = isSame(now, before, node)
    return unchanged
  })
  return unchanged
}

/**
 * The comparison of the API server, which follows the schema: an object with a member that is not in the schema always counts as
 * changed.
 */
function isSame(now: Json, before: Json, node: SchemaNode): boolean {
  if (isJsonObject(now)) {
    if (!isJsonObject(before)) return false
    const keys = Object.keys(now)
    if (keys.length !== Object.keys(before).length) return false
    return keys.every((key) => {
      const child = node.child(key)
      const [one, other] = [now[key], Object.hasOwn(before, key) ? before[key] : undefined]
      return child !== undefined && one !== undefined && other !== undefined && isSame(one, other, child)
    })
  }
  if (!Array.isArray(now)) return now === before
  if (!Array.isArray(before) || now.length !== before.length) return false
  const { items } = node
  if (items === undefined || node.schema['x-kubernetes-list-type'] !== 'map')
    return stableText(now) === stableText(before)
  return now.every((element) => {
    const other = sameElement(node, element, before)
    return other !== undefined && isSame(element, other, items)
  })
}

/** Calls `see` for every pair along the path; returns whether the end was reached. */
function descend(
  path: readonly PathSegment[],
  root: SchemaNode,
  value: Json,
  old: Json,
  see: (now: Json, before: Json, node: SchemaNode) => boolean,
): boolean {
  let node: SchemaNode | undefined = root
  let now: Json | undefined = value
  let before: Json | undefined = old
  for (let depth = 0; ; depth += 1) {
    if (now === undefined || before === undefined || node === undefined) return false
    if (see(now, before, node)) return false
    if (depth === path.length) return true
    const segment: PathSegment = path[depth] ?? ''
    if (typeof segment === 'string') {
      if (!isJsonObject(now) || !isJsonObject(before)) return false
      now = Object.hasOwn(now, segment) ? now[segment] : undefined
      before = Object.hasOwn(before, segment) ? before[segment] : undefined
      node = node.child(segment)
    } else {
      if (!Array.isArray(now) || !Array.isArray(before)) return false
      now = now[segment] as Json
      before = sameElement(node, now, before)
      node = node.items
    }
  }
}

function sameElement(node: SchemaNode, element: Json, before: readonly Json[]): Json | undefined {
  if (node.schema['x-kubernetes-list-type'] !== 'map' || !isJsonObject(element)) return undefined
  const names = node.schema['x-kubernetes-list-map-keys'] ?? []
  return before.find(
    (candidate) =>
      isJsonObject(candidate) &&
      names.every(
        (name) => Object.hasOwn(element, name) && Object.hasOwn(candidate, name) && candidate[name] === element[name],
      ),
  )
}
