/**
 * JSON as values. Every room that handles documents speaks in these types; none of them ever changes a value it was given.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one: for reading fields of what may be missing or of another kind. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
