/**
 * Per-kind changes before an object is stored: values only the API server sets. Pure except for Service addresses,
 * which come from a shared counter.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/index.ts'
import { type ApiObject, withField } from '../../object.ts'

export interface Preparation {
  create?(object: ApiObject): ApiObject
  /** `subresource` is '' for the object itself. */
  update?(object: ApiObject, old: ApiObject, subresource: string): ApiObject
  /** Whether a change outside of the spec increases the generation. */
  isNewGeneration?(object: ApiObject, old: ApiObject): boolean
  /** The status sent on creation is kept. */
  readonly createsStatus?: boolean
}

export function specOf(object: ApiObject): JsonObject {
  const spec = object['spec']
  return isJsonObject(spec) ? spec : {}
}

export function withSpec(object: ApiObject, changes: Readonly<Record<string, Json | undefined>>): ApiObject {
  const spec: Record<string, Json> = { ...specOf(object) }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete spec[name]
    else spec[name] = value
  }
  return withField(object, 'spec', spec)
}

export function withStatus(object: ApiObject, changes: JsonObject): ApiObject {
  const status = object['status']
  return withField(object, 'status', { ...(isJsonObject(status) ? status : {}), ...changes })
}
