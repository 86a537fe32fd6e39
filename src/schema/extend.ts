/** Values files: a schema that extends another one (`x-extend: {schema: config-values.yaml}`). */
import { CarabinerError } from '../runtime/index.ts'
import type { Schema } from './schema.ts'

/**
 * The schema merged with its parent; its own keywords win, and members required by the parent stay required.
 * @param parentOf returns the schema with a name
 * @throws CarabinerError `CRB_SCHEMA_INVALID` when the parent does not exist
 */
export function extendSchema(schema: Schema, parentOf: (name: string) => Schema | undefined): Schema {
  const extension = schema['x-extend']
  if (extension === undefined) return schema
  const parent = parentOf(extension.schema)
  if (parent === undefined) {
    throw new CarabinerError(
      'CRB_SCHEMA_INVALID',
      `x-extend names the schema "${extension.schema}", which does not exist`,
      {
        remedy: 'Name a schema file of the same folder, usually config-values.yaml.',
      },
    )
  }
  const { 'x-extend': _, ...own } = schema
  return {
    ...parent,
    ...own,
    ...joined('properties', { ...parent.properties, ...own.properties }),
    ...joined('patternProperties', { ...parent.patternProperties, ...own.patternProperties }),
    ...joined('definitions', { ...parent.definitions, ...own.definitions }),
    ...listed('required', [...(parent.required ?? []), ...(own.required ?? [])]),
    ...listed('x-required-for-helm', [...(parent['x-required-for-helm'] ?? []), ...(own['x-required-for-helm'] ?? [])]),
  }
}

function joined(name: keyof Schema, members: Readonly<Record<string, Schema>>): Schema {
  return Object.keys(members).length === 0 ? {} : { [name]: members }
}

function listed(name: keyof Schema, names: readonly string[]): Schema {
  return names.length === 0 ? {} : { [name]: [...new Set(names)] }
}
