/** Removes nulls where the schema is not nullable and has no default: the API server treats such a null as an absent field. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'

/** Returns the value itself when there is nothing to remove. */
export function withoutBareNulls(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) return withoutNullsInList(value as readonly Json[], schema.items)
  if (!isJsonObject(value)) return value
  const { properties = {}, additionalProperties } = schema
  let result: Record<string, Json> | undefined
  for (const [key, content] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    const inner = own ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    if (inner === undefined) continue
    const isBare = content === null && own !== undefined && inner.nullable !== true
    const next = isBare ? undefined : withoutBareNulls(content, inner)
    if (next === content) continue
    result ??= { ...value }
    if (next === undefined) delete result[key]
    else result[key] = next
  }
  return result ?? value
}

function withoutNullsInList(items: readonly Json[], schema: Schema | undefined): Json {
  if (schema === undefined) return items
  const inner = items.map((item) => withoutBareNulls(item, schema))
  return inner.some((item, index) => item !== items[index]) ? inner : items
}
