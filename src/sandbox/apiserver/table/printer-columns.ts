/** Tables of custom resources: the name, then the columns of the definition, or the age when it has none. */
import type { Instant, Json } from '../../../runtime/index.ts'
import type { PrinterColumn } from '../crd/definition.ts'
import type { ApiObject } from '../object.ts'
import type { TableShape } from '../resource.ts'
import { age } from './durations.ts'
import { readPath } from './json-path.ts'

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names'

const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
}

export function columnsTable(columns: readonly PrinterColumn[]): TableShape {
  const all = columns.length === 0 ? [ageColumn] : columns
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: nameDescription, priority: 0 },
      ...all.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority })),
    ],
    cells: (object, now) => [object.metadata.name, ...all.map((column) => cell(object, column, now))],
  }
}

/** Null when the path has no value or a value of another type. */
function cell(object: ApiObject, { type, jsonPath }: PrinterColumn, now: Instant): Json {
  const values = readPath(object, jsonPath)
  if (values.length === 0) return null
  const [value = null] = values
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? (Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now)) : null
    default:
      return values.length > 1 ? values.map(shown).join(' ') : shown(value)
  }
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
