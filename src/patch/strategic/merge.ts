/**
 * Strategic merge patch as the Kubernetes API server applies it. The merge rules come from a lookup. Untouched parts of the
 * document stay the same objects.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
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
import { below, type Location, malformed, unfit } from './location.ts'
import type { MergeField, MergeLookup } from './lookup.ts'

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
  location: Location | undefined,
): JsonObject {
  if (location !== undefined && location.depth > maxDepth) throw tooDeep()
  const directive = member(patch, patchDirective)
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject
  if (directive === 'delete') return {}
  if (directive !== undefined)
    throw malformed(location, `unknown $patch ${brief(directive)}; expected replace or delete`)

  const draft = new Draft(original)
  retainKeys(draft, patch, location)
  const done = mergeOrderedLists(draft, patch, fields, location)
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === undefined || key === retainKeysDirective || key.startsWith(elementOrderPrefix) || done.has(key))
      continue
    mergeMember(draft, key, value, fields, location)
  }
  return draft.value
}

function mergeMember(
  draft: Draft,
  key: string,
  value: Json,
  fields: MergeLookup,
  location: Location | undefined,
): void {
  const deletes = key.startsWith(deleteFromListPrefix)
  const name = deletes ? key.slice(deleteFromListPrefix.length) : key
  const old = draft.get(name)
  if (value === null) {
    draft.set(name, undefined)
  } else if (old === undefined || kindOf(old) !== kindOf(value)) {
    if (!deletes) draft.set(name, asAddition(value))
  } else if (isJsonObject(old) && isJsonObject(value)) {
    const field = fieldOf(fields, name, location)
    const merged =
      field.strategy === 'replace'
        ? (withoutDirectives(value) as JsonObject)
        : mergeObjects(old, value, field.fields, below(location, name))
    draft.set(name, merged)
  } else if (Array.isArray(old) && Array.isArray(value)) {
    draft.set(name, mergeListMember(old, value, deletes, fieldOf(fields, name, location), below(location, name)).list)
  } else {
    draft.set(name, value)
  }
}

function mergeListMember(
  old: readonly Json[],
  value: readonly Json[],
  deletes: boolean,
  field: MergeField,
  location: Location,
): MergedList {
  if (deletes) return { list: deleteFromList(old, value, location), documentOrder: old }
  if (field.strategy === 'merge') return mergeLists(old, value, field, location, mergeObjects)
  return { list: withoutDirectives(value) as readonly Json[], documentOrder: old }
}

function retainKeys(draft: Draft, patch: JsonObject, location: Location | undefined): void {
  const list = member(patch, retainKeysDirective)
  if (list === undefined) return
  if (!Array.isArray(list)) throw malformed(location, `$retainKeys must be a list of names, found ${brief(list)}`)
  const kept = new Set<Json>(list)
  for (const key of Object.keys(patch)) {
    if (key === retainKeysDirective || patch[key] === null) continue
    if (key.startsWith(deleteFromListPrefix) || key.startsWith(elementOrderPrefix) || kept.has(key)) continue
    throw malformed(location, `"${key}" is in the patch but not in $retainKeys ${brief(list)}`)
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
  location: Location | undefined,
): ReadonlySet<string> {
  const done = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(elementOrderPrefix)) continue
    const name = key.slice(elementOrderPrefix.length)
    const order = listOf(patch, key, location)
    const old = draft.get(name) === undefined ? undefined : listOf(draft.value, name, location)
    const change = member(patch, name) === undefined ? undefined : listOf(patch, name, location)
    const field = fieldOf(fields, name, location)
    const listPlace = below(location, name)
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

function listOf(object: JsonObject, key: string, location: Location | undefined): readonly Json[] {
  const value = member(object, key)
  if (Array.isArray(value)) return value
  throw malformed(below(location, key), `expected a list, found ${kindOf(value)}`)
}

function fieldOf(fields: MergeLookup, name: string, location: Location | undefined): MergeField {
  const field = fields.field(name)
  if (field === undefined) throw unfit(location, `unable to find api field "${name}"`)
  return field
}
