/**
 * Completes the schema of a custom resource with apiVersion, kind and the metadata schema of built-in kinds, so that
 * apply and explain treat metadata the same everywhere.
 */
import type { Schema } from '../../../schema/index.ts'
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
