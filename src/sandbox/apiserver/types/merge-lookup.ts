/** Adapts a schema (x-kubernetes-patch-*) to the lookup that strategic merge patch needs. */
import { anyFields, type MergeField, type MergeLookup } from '../../../patch/index.ts'
import type { Schema } from '../../../schema/index.ts'

export function mergeLookup(schema: Schema): MergeLookup {
  const { properties, additionalProperties } = schema
  if (properties === undefined && typeof additionalProperties !== 'object') return anyFields
  return {
    field(name) {
      const property = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property !== undefined) return fieldOf(property)
      if (typeof additionalProperties === 'object') return fieldOf(additionalProperties)
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? { fields: anyFields } : undefined
    },
  }
}

function fieldOf(schema: Schema): MergeField {
  const strategies = schema['x-kubernetes-patch-strategy']?.split(',') ?? []
  const strategy = strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : undefined
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(mergeKey === undefined ? {} : { mergeKey }),
    fields: mergeLookup(schema.type === 'array' ? (schema.items ?? {}) : schema),
  }
}
