/**
 * Strategic merge patch as the Kubernetes API server applies it. The merge rules come from a lookup. Untouched parts of the
 * document stay the same objects.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/json.ts'
import { maxDepth, tooDeep } from '../errors.ts'
import { brief, kindOf, type MutableObject, member, setMember } from '../members.ts'
import {
  asAddition,
  asOrderedAddition,
  deleteFromListPrefix,
  elementOrderPrefix,
  patchDirective,
  retainKeysDirective,
  withoutDirectives,
} from './directives.ts'
import { checkOrder, deleteFromList, enforceOrder, type MergedList, mergeLists } from './lists.ts'
import type { MergeField, MergeLookup } from './lookup.ts'
import { below, malformed, type Place, unfit } from './place.ts'

/**
 * @throws PatchError when a directive is malformed or the patch does not fit the document
 * @example
 * const pod = mergeTable({ 'spec.containers': { strategy: 'merge', mergeKey: 'name' } })
 * applyStrategicMergePatch(document, { spec: { containers: [{ name: 'a', image: 'b' }] } }, pod)
 */
export function applyStrategicMergePatch(original: JsonObject, patch: Json, lookup: MergeLookup): JsonObject {
  if (!isJsonObject(patch)) throw malformed(undefined, `the patch must be an object, found ${brief(patch)}`)
  return mergeObjects(original, patch, lookup, undefined)
}

/** An object that is changed; the first effective change copies it. */
class Draft {
  #value: JsonObject
  #copy: MutableObject | undefined

  constructor(value: JsonObject) {
    this.#value = value
  }

  get value(): JsonObject {
    return this.#value
  }

  get(key: string): Json | undefined {
    return member(this.#value, key)
  }

  set(key: string, value: Json | undefined): void {
    if (this.get(key) === value) return
    if (this.#copy === undefined) {
      this.#copy = { ...this.#value }
      this.#value = this.#copy
    }
    if (value === undefined) delete this.#copy[key]
    else setMember(this.#copy, key, value)
  }
}

function mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  fields: MergeLookup,
  place: Place | undefined,
): JsonObject {
  if (place !== undefined && place.depth > maxDepth) throw tooDeep()
  const directive = member(patch, patchDirective)
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject
  if (directive === 'delete') return {}
  if (directive !== undefined) throw malformed(place, `unknown $patch ${brief(directive)}; expected replace or delete`)

  const draft = new Draft(original)
  retainKeys(draft, patch, place)
  const done = mergeOrderedLists(draft, patch, fields, place)
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === undefined || key === retainKeysDirective || key.startsWith(elementOrderPrefix) || done.has(key))
      continue
    mergeMember(draft, key, value, fields, place)
  }
  return draft.value
}

function mergeMember(draft: Draft, key: string, value: Json, fields: MergeLookup, place: Place | undefined): void {
  const deletes = key.startsWith(deleteFromListPrefix)
  const name = deletes ? key.slice(deleteFromListPrefix.length) : key
  const old = draft.get(name)
  if (value === null) {
    draft.set(name, undefined)
  } else if (old === undefined || kindOf(old) !== kindOf(value)) {
    if (!deletes) draft.set(name, asAddition(value))
  } else if (isJsonObject(old) && isJsonObject(value)) {
    const field = fieldOf(fields, name, place)
    const merged =
      field.strategy === 'replace'
        ? (withoutDirectives(value) as JsonObject)
        : mergeObjects(old, value, field.fields, below(place, name))
    draft.set(name, merged)
  } else if (Array.isArray(old) && Array.isArray(value)) {
    draft.set(name, mergeListMember(old, value, deletes, fieldOf(fields, name, place), below(place, name)).list)
  } else {
    draft.set(name, value)
  }
}

function mergeListMember(
  old: readonly Json[],
  value: readonly Json[],
  deletes: boolean,
  field: MergeField,
  place: Place,
): MergedList {
  if (deletes) return { list: deleteFromList(old, value, place), documentOrder: old }
  if (field.strategy === 'merge') return mergeLists(old, value, field, place, mergeObjects)
  return { list: withoutDirectives(value) as readonly Json[], documentOrder: old }
}

function retainKeys(draft: Draft, patch: JsonObject, place: Place | undefined): void {
  const list = member(patch, retainKeysDirective)
  if (list === undefined) return
  if (!Array.isArray(list)) throw malformed(place, `$retainKeys must be a list of names, found ${brief(list)}`)
  const kept = new Set<Json>(list)
  for (const key of Object.keys(patch)) {
    if (key === retainKeysDirective || patch[key] === null) continue
    if (key.startsWith(deleteFromListPrefix) || key.startsWith(elementOrderPrefix) || kept.has(key)) continue
    throw malformed(place, `"${key}" is in the patch but not in $retainKeys ${brief(list)}`)
  }
  for (const key of Object.keys(draft.value)) {
    if (!kept.has(key)) draft.set(key, undefined)
  }
}

/** Merges lists with a `$setElementOrder`; returns the members of the patch that are handled. */
function mergeOrderedLists(
  draft: Draft,
  patch: JsonObject,
  fields: MergeLookup,
  place: Place | undefined,
): ReadonlySet<string> {
  const done = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(elementOrderPrefix)) continue
    const name = key.slice(elementOrderPrefix.length)
    const order = listOf(patch, key, place)
    const old = draft.get(name) === undefined ? undefined : listOf(draft.value, name, place)
    const change = member(patch, name) === undefined ? undefined : listOf(patch, name, place)
    const field = fieldOf(fields, name, place)
    const listPlace = below(place, name)
    checkOrder(change ?? [], order, field.mergeKey, listPlace)
    if (old === undefined && change === undefined) continue
    let merged: MergedList = { list: old ?? [], documentOrder: old ?? [] }
    if (change !== undefined) {
      merged =
        old === undefined
          ? { list: asOrderedAddition(change), documentOrder: [] }
          : mergeListMember(old, change, false, field, listPlace)
    }
    const lists = { ...merged, original: old ?? [], patch: change ?? [] }
    draft.set(name, enforceOrder(lists, order, field.mergeKey, listPlace))
    done.add(name)
  }
  return done
}

function listOf(object: JsonObject, key: string, place: Place | undefined): readonly Json[] {
  const value = member(object, key)
  if (Array.isArray(value)) return value
  throw malformed(below(place, key), `expected a list, found ${kindOf(value)}`)
}

function fieldOf(fields: MergeLookup, name: string, place: Place | undefined): MergeField {
  const field = fields.field(name)
  if (field === undefined) throw unfit(place, `unable to find api field "${name}"`)
  return field
}
