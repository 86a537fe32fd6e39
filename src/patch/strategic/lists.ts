/**
 * Merges lists with strategy `merge`: objects by their merge key, scalars as a set. Elements of the patch may be directives.
 * The list of the document is never changed.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import { brief, kindOf, member } from '../members.ts'
import { hasPatchDirective, patchDirective, withoutDirectives } from './directives.ts'
import { below, type Location, malformed, unfit } from './location.ts'
import type { MergeField, MergeLookup } from './lookup.ts'
import { identityBy, ordered, partition } from './order.ts'

type MergeObjects = (original: JsonObject, patch: JsonObject, fields: MergeLookup, location: Location) => JsonObject

export interface MergedList {
  readonly list: readonly Json[]
  /** The order in the document, for a `$setElementOrder` of the same list. */
  readonly documentOrder: readonly Json[]
}

export function mergeLists(
  original: readonly Json[],
  patch: readonly Json[],
  field: MergeField,
  location: Location,
  mergeObjects: MergeObjects,
): MergedList {
  if (original.length === 0 && patch.length === 0) return { list: original, documentOrder: original }
  if (elementKind([original, patch], location) !== 'object') {
    const merged = [...new Set([...original, ...patch])]
    const identity = identityBy(undefined)
    const list = ordered(partition(merged, patch, identity), patch, original, identity)
    return { list: unchanged(original, list), documentOrder: original }
  }
  const { mergeKey } = field
  if (mergeKey === undefined) throw unfit(location, 'the elements are objects, and the list has no merge key')
  const special = applyElementDirectives(original, patch, mergeKey, location)
  const merged = [...special.original]
  const identity = identityBy(mergeKey)
  const index = new Map<Json | undefined, number>()
  for (const [at, element] of merged.entries()) {
    const key = identity(element)
    if (!index.has(key)) index.set(key, at)
  }
  for (const element of special.patch) {
    const key = mergeKeyOf(element, mergeKey, location)
    const at = index.get(key)
    const old = at === undefined ? undefined : merged[at]
    if (at === undefined || !isJsonObject(old)) {
      index.set(key, merged.length)
      merged.push(withoutDirectives(element))
    } else {
      merged[at] = mergeObjects(old, element, field.fields, below(location, String(at)))
    }
  }
  for (const element of merged) mergeKeyOf(element, mergeKey, location)
  const list = ordered(partition(merged, special.patch, identity), special.patch, special.original, identity)
  // The API server merges in place: added elements take the positions of deleted ones, up to the old length of the list. The
  // position of a new element among those that only the document has depends on it.
  const documentOrder = special.replaced ?? merged.slice(0, original.length)
  return { list: unchanged(original, list), documentOrder }
}

/** Applies `$deleteFromPrimitiveList`. */
export function deleteFromList(
  original: readonly Json[],
  scalars: readonly Json[],
  location: Location,
): readonly Json[] {
  if (original.length === 0 && scalars.length === 0) return original
  if (elementKind([original, scalars], location) === 'object') {
    throw malformed(location, '$deleteFromPrimitiveList is for lists of scalars')
  }
  const doomed = new Set(scalars)
  return unchanged(
    original,
    original.filter((element) => !doomed.has(element)),
  )
}

/** Applies `$setElementOrder` to a merged list. */
export function enforceOrder(
  lists: MergedList & { readonly original: readonly Json[]; readonly patch: readonly Json[] },
  order: readonly Json[],
  mergeKey: string | undefined,
  location: Location,
): readonly Json[] {
  const identity = identityBy(mergeKey)
  elementKind([lists.original, lists.patch], location)
  if (mergeKey !== undefined) {
    for (const element of lists.list) mergeKeyOf(element, mergeKey, location)
    for (const element of order) mergeKeyOf(element, mergeKey, location)
  }
  const parts = partition(lists.list, order, identity)
  return unchanged(lists.original, ordered(parts, order, lists.documentOrder, identity))
}

/** The elements of the patch must appear in the order list, in the same relative order; deletions are ignored. */
export function checkOrder(
  patch: readonly Json[],
  order: readonly Json[],
  mergeKey: string | undefined,
  location: Location,
): void {
  if (patch.length === 0 || order.length === 0) return
  const identity =
    mergeKey === undefined ? identityBy(undefined) : (element: Json) => mergeKeyOf(element, mergeKey, location)
  const listed = patch.filter((element) => !isJsonObject(element) || member(element, patchDirective) !== 'delete')
  let next = 0
  for (let at = 0; at < order.length && next < listed.length; ) {
    const element = listed[next] as Json
    if (hasPatchDirective(element)) {
      next += 1
    } else {
      if (identity(element) === identity(order[at] as Json)) next += 1
      at += 1
    }
  }
  if (next < listed.length) {
    throw malformed(
      location,
      `the order in the patch list ${brief([...patch])} does not match $setElementOrder ${brief([...order])}`,
    )
  }
}

function applyElementDirectives(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
  location: Location,
): {
  readonly original: readonly Json[]
  readonly patch: readonly JsonObject[]
  /** The rest of the list after deletions. */
  readonly replaced?: readonly Json[]
} {
  const ordinary: JsonObject[] = []
  let remaining = original
  let replace = false
  for (const element of patch) {
    if (!isJsonObject(element)) continue
    const directive = member(element, patchDirective)
    if (directive === undefined) {
      ordinary.push(element)
    } else if (directive === 'delete') {
      const key = mergeKeyOf(element, mergeKey, location)
      remaining = remaining.filter((candidate) => !isJsonObject(candidate) || member(candidate, mergeKey) !== key)
    } else if (directive === 'replace') {
      replace = true
    } else if (directive === 'merge') {
      throw malformed(location, 'merging lists cannot be specified in the patch')
    } else {
      throw malformed(location, `unknown $patch ${brief(directive)}; expected delete or replace`)
    }
  }
  return replace
    ? { original: ordinary.map(withoutDirectives), patch: [], replaced: remaining }
    : { original: remaining, patch: ordinary }
}

function mergeKeyOf(element: Json, mergeKey: string, location: Location): Json {
  const key = isJsonObject(element) ? member(element, mergeKey) : undefined
  if (key === undefined) {
    throw malformed(location, `element ${brief(element)} does not contain the merge key "${mergeKey}"`)
  }
  return key
}

/** The common kind of all elements; mixed kinds, nulls and lists of lists cannot be merged. */
function elementKind(lists: readonly (readonly Json[])[], location: Location): string {
  let kind: string | undefined
  for (const list of lists) {
    for (const element of list) {
      const found = kindOf(element)
      if (found === 'array') throw malformed(location, 'lists of lists are not supported')
      if (found === 'null') throw malformed(location, 'an element of a merging list is null')
      kind ??= found
      if (kind !== found) throw malformed(location, `list element types are not identical: ${kind} and ${found}`)
    }
  }
  if (kind === undefined) throw malformed(location, 'no elements in the list of the document or of the patch')
  return kind
}

function unchanged(original: readonly Json[], result: readonly Json[]): readonly Json[] {
  const same = original.length === result.length && result.every((element, index) => element === original[index])
  return same ? original : result
}
