/**
 * The directives a strategic merge patch may carry, and how a part of a patch looks once they are taken out of it.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/json.ts'
import { type MutableObject, setMember } from '../members.ts'

/** On an object: `replace` or `delete` instead of merging it; on an element of a list: `delete` it, or `replace` the list. */
export const patchDirective = '$patch'
/** On an object: the only members that may stay. */
export const retainKeysDirective = '$retainKeys'
/** Prefix of a member that names the scalars to take out of the list whose name follows. */
export const deleteFromListPrefix = '$deleteFromPrimitiveList/'
/** Prefix of a member that gives the order of the list whose name follows. */
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

/** A part of the patch that is put into the document whole: only the directives go, `null` stays. */
export function withoutDirectives(value: Json): Json {
  return cleaned(value, false) ?? null
}

/**
 * A part of the patch for which the document has nothing yet: members that are `null` go, and so do objects that are
 * directives. Undefined when nothing remains.
 */
export function asAddition(value: Json): Json | undefined {
  return cleaned(value, true)
}

function cleaned(value: Json, addition: boolean): Json | undefined {
  if (Array.isArray(value)) return cleanedList(value, addition)
  if (!isJsonObject(value)) return value
  if (addition && hasPatchDirective(value)) return undefined
  let changed = false
  const result: MutableObject = {}
  for (const key of Object.keys(value)) {
    const old = value[key]
    const kept =
      old === undefined || isDirective(key) || (addition && old === null) ? undefined : cleaned(old, addition)
    if (kept !== old) changed = true
    if (kept !== undefined) setMember(result, key, kept)
  }
  return changed ? result : value
}

function cleanedList(list: readonly Json[], addition: boolean): readonly Json[] {
  let changed = false
  const result: Json[] = []
  for (const item of list) {
    const kept = cleaned(item, addition)
    if (kept !== item) changed = true
    if (kept !== undefined) result.push(kept)
  }
  return changed ? result : list
}
