/**
 * The OpenAPI version 2 document as protobuf, the only format in which kubectl requests it. Paths and value limits are
 * left out: kubectl uses the definitions only, to validate fields and to merge lists.
 */
import { append, type Json, type JsonObject, objectOf } from '../../../runtime/index.ts'
import { field, message } from '../protobuf/write.ts'

/** Field numbers of the protobuf messages. */
const document = { swagger: 1, info: 2, definitions: 9 }
const information = { title: 1, version: 2 }
const named = { name: 1, value: 2 }
const schemaFields = {
  $ref: 1,
  format: 2,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
}

export function encodeV2({ swagger, info, definitions }: JsonObject): Uint8Array {
  const { title, version } = objectOf(info)
  return message(
    field(document.swagger, textOf(swagger)),
    field(document.info, message(field(information.title, textOf(title)), field(information.version, textOf(version)))),
    field(document.definitions, namedSchemas(objectOf(definitions))),
  )
}

function namedSchemas(schemas: JsonObject): Uint8Array {
  const all = Object.entries(schemas).map(([name, schema]) =>
    field(1, message(field(named.name, name), field(named.value, schemaMessage(objectOf(schema))))),
  )
  return message(...all)
}

function schemaMessage(schema: JsonObject): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-'))
      parts.push(field(schemaFields.extension, message(field(named.name, key), field(named.value, anyMessage(value)))))
    else if (key === '$ref' || key === 'format') parts.push(field(schemaFields[key], textOf(value)))
    else if (key === 'type') parts.push(field(schemaFields.type, field(1, textOf(value))))
    else if (key === 'properties') parts.push(field(schemaFields.properties, namedSchemas(objectOf(value))))
    else if (key === 'items' || key === 'additionalProperties')
      parts.push(field(schemaFields[key], field(1, schemaMessage(objectOf(value)))))
    else if (key === 'required' && Array.isArray(value))
      append(
        parts,
        (value as readonly Json[]).map((name) => field(schemaFields.required, textOf(name))),
      )
  }
  return message(...parts)
}

/** An extension value is YAML text, and JSON is valid YAML. */
function anyMessage(value: Json): Uint8Array {
  return field(2, JSON.stringify(value))
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
