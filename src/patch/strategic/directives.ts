/** The directives of a strategic merge patch, and how they are removed from a part of a patch. */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import { type MutableObject, setMember } from '../members.ts'

/** On an object: `replace` or `delete` instead of merging it; on an element of a list: `delete` it, or `replace` the list. */
export const patchDirective = '$patch'
/** On an object: the members that are kept; all others are removed. */
export const retainKeysDirective = '$retainKeys'
/** Prefix of a member with the scalars to remove from the list whose name follows. */
export const deleteFromListPrefix = '$deleteFromPrimitiveList/'
/** Prefix of a member with the order of the list whose name follows. */
export const elementOrderPrefix = '$setElementOrder/'

export function hasPatchDirective(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, patchDirective)
}

function isDirective(key: string): boolean {
  return (
    key.charCodeAt(0) === 36 &&
    (key === patchDirective ||
      key === retainKeysDirective ||
      key.startsWith(deleteFromListPrefix) ||
      key.startsWith(elementOrderPrefix))
  )
}

/** What is removed besides the directives. */
interface Cleaning {
  /** Objects with a `$patch`. */
  readonly marked: boolean
  /** Members that are `null`. */
  readonly nulls: boolean
}

/** For a part of the patch that replaces a value: removes directives, keeps `null`. */
export function withoutDirectives(value: Json): Json {
  return cleaned(value, { marked: false, nulls: false }) ?? null
}

/**
 * For a part of the patch that has no counterpart in the document: removes members that are `null` and objects that are
 * directives. Undefined when nothing remains.
 */
export function asAddition(value: Json): Json | undefined {
  return cleaned(value, { marked: true, nulls: true })
}

/** For a list that has no counterpart in the document but an order: removes objects that are directives, keeps `null`. */
export function asOrderedAddition(list: readonly Json[]): readonly Json[] {
  return cleanedList(list, { marked: true, nulls: false })
}

function cleaned(value: Json, cleaning: Cleaning): Json | undefined {
  if (Array.isArray(value)) return cleanedList(value, cleaning)
  if (!isJsonObject(value)) return value
  if (cleaning.marked && hasPatchDirective(value)) return undefined
  let changed = false
  const result: MutableObject = {}
  for (const key of Object.keys(value)) {
    const old = value[key]
    const drop = old === undefined || isDirective(key) || (cleaning.nulls && old === null)
    const kept = drop ? undefined : cleaned(old, cleaning)
    if (kept !== old) changed = true
    if (kept !== undefined) setMember(result, key, kept)
  }
  return changed ? result : value
}

function cleanedList(list: readonly Json[], cleaning: Cleaning): readonly Json[] {
  let changed = false
  const result: Json[] = []
  for (const item of list) {
    const kept = cleaned(item, cleaning)
    if (kept !== item) changed = true
    if (kept !== undefined) result.push(kept)
  }
  return changed ? result : list
}
