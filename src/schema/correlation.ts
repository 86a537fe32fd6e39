/**
 * Which part of the old object a part of the new one continues. Members continue by name and elements of list maps by their
 * keys; elements of other lists do not continue anything.
 */
import { isJsonObject, type Json } from '../runtime/json.ts'
import type { SchemaNode } from './node.ts'
import type { PathSegment } from './paths.ts'
import { stableText } from './scalars.ts'

/** The old value at a path of the new one; undefined where there is none to compare with. */
export function oldValueAt(path: readonly PathSegment[], root: SchemaNode, value: Json, old: Json): Json | undefined {
  let last: Json | undefined
  const complete = descend(path, root, value, old, (_, before) => {
    last = before
    return false
  })
  return complete ? last : undefined
}

/** Whether the value at the path, or something it is part of, is the same as before the update. */
export function isUnchanged(path: readonly PathSegment[], root: SchemaNode, value: Json, old: Json): boolean {
  let unchanged = false
  descend(path, root, value, old, (now, before) => {
    unchanged = now === before || stableText(now) === stableText(before)
    return unchanged
  })
  return unchanged
}

/** Calls `see` for every pair on the way; returns whether the way led to the end. */
function descend(
  path: readonly PathSegment[],
  root: SchemaNode,
  value: Json,
  old: Json,
  see: (now: Json, before: Json) => boolean,
): boolean {
  let node: SchemaNode | undefined = root
  let now: Json | undefined = value
  let before: Json | undefined = old
  for (let depth = 0; ; depth += 1) {
    if (now === undefined || before === undefined) return false
    if (see(now, before)) return false
    if (depth === path.length) return true
    const segment: PathSegment = path[depth] ?? ''
    if (typeof segment === 'string') {
      if (!isJsonObject(now) || !isJsonObject(before)) return false
      now = Object.hasOwn(now, segment) ? now[segment] : undefined
      before = Object.hasOwn(before, segment) ? before[segment] : undefined
      node = node?.child(segment)
    } else {
      if (!Array.isArray(now) || !Array.isArray(before)) return false
      now = now[segment] as Json
      before = sameElement(node, now, before)
      node = node?.items
    }
  }
}

function sameElement(node: SchemaNode | undefined, element: Json, before: readonly Json[]): Json | undefined {
  if (node?.schema['x-kubernetes-list-type'] !== 'map' || !isJsonObject(element)) return undefined
  const names = node.schema['x-kubernetes-list-map-keys'] ?? []
  return before.find(
    (candidate) =>
      isJsonObject(candidate) && names.every((name) => (candidate[name] ?? null) === (element[name] ?? null)),
  )
}
