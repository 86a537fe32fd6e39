/**
 * A schema as server-side apply uses it: scalars, atomic or associative lists, atomic or granular maps. A node without
 * a type can be any of them; the value decides.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import { type Element, keyElement, valueElement } from './element.ts'

export interface Structure {
  readonly scalar: string | undefined
  readonly list: ListStructure | undefined
  readonly map: MapStructure | undefined
}

export interface ListStructure {
  readonly atomic: boolean
  /** Empty for lists of type set. */
  readonly keys: readonly string[]
  readonly element: () => Structure
}

export interface MapStructure {
  readonly atomic: boolean
  readonly field: (name: string) => Structure | undefined
  readonly defaultOf: (name: string) => Json | undefined
  /** The structure of undeclared keys; undefined when undeclared keys are not allowed. */
  readonly element: (() => Structure) | undefined
}

const untyped: Structure = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], element: () => untyped },
  map: { atomic: true, field: () => undefined, defaultOf: () => undefined, element: () => untyped },
}

/** For values without a schema: lists are atomic, maps are granular. */
const deduced: Structure = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], element: () => untyped },
  map: { atomic: false, field: () => undefined, defaultOf: () => undefined, element: () => deduced },
}

const known = new WeakMap<Schema, Structure>()
const knownPreserving = new WeakMap<Schema, Structure>()

export function structureOf(schema: Schema, inherited = false): Structure {
  const preserves = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true
  const cache = preserves ? knownPreserving : known
  let structure = cache.get(schema)
  if (structure === undefined) {
    structure = read(schema, preserves)
    cache.set(schema, structure)
  }
  return structure
}

function read(schema: Schema, preserves: boolean): Structure {
  switch (schema.type) {
    case 'object':
      return { scalar: undefined, list: undefined, map: readMap(schema, preserves) }
    case 'array':
      return { scalar: undefined, list: readList(schema, preserves), map: undefined }
    case undefined:
    case '':
      // A quantity is a text or a number, never a structure.
      if (schema.format === 'quantity') return { scalar: 'untyped', list: undefined, map: undefined }
      return { scalar: 'untyped', list: readList(schema, preserves), map: readMap(schema, preserves) }
    case 'integer':
    case 'number':
      return { scalar: 'numeric', list: undefined, map: undefined }
    default:
      return { scalar: schema.type, list: undefined, map: undefined }
  }
}

function readMap(schema: Schema, preserves: boolean): MapStructure {
  const { properties = {}, additionalProperties } = schema
  const isFree = additionalProperties === undefined && (preserves || Object.keys(properties).length === 0)
  const element =
    typeof additionalProperties === 'object'
      ? () => structureOf(additionalProperties, preserves)
      : isFree || additionalProperties === true
        ? () => deduced
        : undefined
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field: (name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return property === undefined ? undefined : structureOf(property, preserves)
    },
    defaultOf: (name) => (Object.hasOwn(properties, name) ? properties[name]?.default : undefined),
    element,
  }
}

function readList(schema: Schema, preserves: boolean): ListStructure {
  const { items } = schema
  const listType = schema['x-kubernetes-list-type']
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  const merges = listType === undefined && schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true
  return {
    atomic: !(merges || listType === 'set' || listType === 'map'),
    keys:
      listType === 'map'
        ? (schema['x-kubernetes-list-map-keys'] ?? [])
        : merges && mergeKey !== undefined
          ? [mergeKey]
          : [],
    element: () => (items === undefined ? untyped : structureOf(items, preserves)),
  }
}

/** The part of the structure that fits the value; null and absent values keep all parts. */
export function fitting(structure: Structure, value: Json | undefined): Structure {
  if (value === undefined || value === null) return structure
  if (Array.isArray(value)) return structure.list ? { ...structure, scalar: undefined, map: undefined } : structure
  if (isJsonObject(value)) return structure.map ? { ...structure, scalar: undefined, list: undefined } : structure
  return structure.scalar === undefined ? structure : { ...structure, list: undefined, map: undefined }
}

/** The structure of a map's key: declared, else the structure of undeclared keys. */
export function fieldStructure(map: MapStructure, name: string): Structure {
  return map.field(name) ?? map.element?.() ?? deduced
}

export class ListElementError extends Error {}

/** The path element of an item of an associative list. */
export function itemElement(list: ListStructure, item: Json): Element {
  if (list.keys.length === 0) {
    if (isJsonObject(item)) throw new ListElementError("associative list without keys has an element that's a map type")
    if (Array.isArray(item)) throw new ListElementError('not supported: associative list with lists as elements')
    if (item === null)
      throw new ListElementError("associative list without keys has an element that's an explicit null")
    return valueElement(item)
  }
  if (item === null) throw new ListElementError('associative list with keys may not have a null element')
  if (!isJsonObject(item)) throw new ListElementError('associative list with keys may not have non-map elements')
  return keyElement(keysOf(list, item))
}

function keysOf(list: ListStructure, item: JsonObject): Record<string, Json> {
  const keys: Record<string, Json> = {}
  const map = list.element().map
  for (const name of list.keys) {
    const value = item[name] ?? map?.defaultOf(name)
    if (value !== undefined) keys[name] = value
  }
  if (Object.keys(keys).length === 0) {
    throw new ListElementError(
      `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
    )
  }
  return keys
}
