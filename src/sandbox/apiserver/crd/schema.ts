/**
 * The schema of a custom resource with what every object has: kind, apiVersion and metadata, the latter as built-in kinds know it,
 * so that apply and explain treat its fields alike.
 */
import type { Schema } from '../../../schema/schema.ts'
import { typeModel } from '../types/model.ts'
import { KindSchemas } from '../types/schemas.ts'

let shared: Pick<Required<Schema>, 'properties'> | undefined

function objectFields(): Readonly<Record<string, Schema>> {
  if (shared === undefined) {
    const { properties = {} } = new KindSchemas(typeModel()).ofKind('', 'v1', 'ConfigMap') ?? {}
    const { apiVersion = {}, kind = {}, metadata = {} } = properties
    shared = { properties: { apiVersion, kind, metadata } }
  }
  return shared.properties
}

export function completeSchema(schema: Schema): Schema {
  return { ...schema, type: 'object', properties: { ...schema.properties, ...objectFields() } }
}
