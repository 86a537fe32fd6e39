/**
 * Applies the defaults of a structural schema to missing members and to `null` where it is not allowed. Parts without defaults stay the
 * same objects.
 */
import { isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { checkDepth } from './depth.ts'
import { nodeOf, type SchemaNode } from './node.ts'
import type { Schema } from './schema.ts'

/** Returns the value itself when no default applies. */
export function applyDefaults(value: Json, schema: Schema): Json {
  return withDefaults(value, nodeOf(schema), 0)
}

function withDefaults(value: Json, node: SchemaNode, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value
  checkDepth(depth)
  return isJsonObject(value) ? objectDefaults(value, node, depth) : listDefaults(value, node, depth)
}

function objectDefaults(value: JsonObject, node: SchemaNode, depth: number): JsonObject {
  let result: { [key: string]: Json } | undefined
  const set = (key: string, next: Json): void => {
    result ??= { ...value }
    Object.defineProperty(result, key, { value: next, writable: true, enumerable: true, configurable: true })
  }
  for (const [key, property] of node.properties) {
    const given = property.schema.default
    if (given === undefined || given === null) continue
    const old = Object.hasOwn(value, key) ? value[key] : undefined
    if (old === undefined || (old === null && !property.nullable)) set(key, withDefaults(given, property, depth + 1))
  }
  for (const key of Object.keys(value)) {
    const child = node.child(key)
    const old = value[key]
    if (child === undefined || old === undefined) continue
    const own = node.properties.has(key)
    const next = own ? withDefaults(old, child, depth + 1) : entryDefault(old, child, depth)
    if (next !== old && !(own && old === null)) set(key, next)
  }
  return result ?? value
}

function listDefaults(value: readonly Json[], node: SchemaNode, depth: number): readonly Json[] {
  const { items } = node
  if (items === undefined) return value
  let result: Json[] | undefined
  for (const [index, old] of value.entries()) {
    const next = entryDefault(old, items, depth)
    if (next === old) continue
    result ??= value.slice()
    result[index] = next
  }
  return result ?? value
}

/** For elements of lists and maps: only a `null` that is not allowed gets the default. */
function entryDefault(old: Json, node: SchemaNode, depth: number): Json {
  const start = old === null && !node.nullable ? (node.schema.default ?? null) : old
  return withDefaults(start, node, depth + 1)
}
