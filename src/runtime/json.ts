/** JSON values. All rooms that handle documents use these types; a value that was passed in is never changed. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty object: for reading fields of a value that may be missing or of another type. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
