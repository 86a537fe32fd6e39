/** Helpers of default rules: set fields that are absent. Values are never changed in place. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'

/** Sets the defaults of one definition; returns its argument when nothing is missing. */
export type DefaultRule = (value: JsonObject) => JsonObject

/** Adds the defaults that `value` lacks; an empty text or null counts as absent. */
export function filled(value: JsonObject, defaults: JsonObject): JsonObject {
  let result: Record<string, Json> | undefined
  for (const [name, content] of Object.entries(defaults)) {
    if (!lacks(value[name])) continue
    result ??= { ...value }
    result[name] = content
  }
  return result ?? value
}

export function lacks(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

export function fill(defaults: JsonObject): DefaultRule {
  return (value) => filled(value, defaults)
}

export function objectAt(value: JsonObject, name: string): JsonObject {
  const content = value[name]
  return isJsonObject(content) ? content : {}
}

export function listAt(value: JsonObject, name: string): readonly JsonObject[] {
  const content = value[name]
  return Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : []
}

export function isEmptyMap(value: Json | undefined): boolean {
  return !isJsonObject(value) || Object.keys(value).length === 0
}

/** Replaces one field with the result of `change`. */
export function changed(value: JsonObject, name: string, change: (content: JsonObject) => JsonObject): JsonObject {
  const before = objectAt(value, name)
  const after = change(before)
  return after === before ? value : { ...value, [name]: after }
}
