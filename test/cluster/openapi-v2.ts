/**
 * Reads an OpenAPI version 2 document in protobuf: its definitions, without descriptions and value limits, which the
 * sandbox omits.
 */
import { load } from 'js-yaml'
import { fieldsOf } from '../../src/sandbox/apiserver/protobuf/wire.ts'

export type Definitions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export const protobufV2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

export function definitionsIn(document: Uint8Array): Definitions {
  return schemasIn(inside(document, 9))
}

function schemasIn(message: Uint8Array): Definitions {
  return Object.fromEntries(
    [...fieldsOf(message)].map(({ bytes }) => [text(inside(bytes, 1)), schemaIn(inside(bytes, 2))]),
  )
}

function schemaIn(message: Uint8Array): Record<string, unknown> {
  const schema: Record<string, unknown> = {}
  const required: string[] = []
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) schema['$ref'] = text(bytes)
    else if (number === 2) schema['format'] = text(bytes)
    else if (number === 5) schema['default'] = anyIn(bytes)
    else if (number === 19) required.push(text(bytes))
    else if (number === 21) schema['additionalProperties'] = schemaIn(inside(bytes, 1))
    else if (number === 22) schema['type'] = text(inside(bytes, 1))
    else if (number === 23) schema['items'] = schemaIn(inside(bytes, 1))
    else if (number === 25) schema['properties'] = schemasIn(bytes)
    else if (number === 31) schema[text(inside(bytes, 1))] = anyIn(inside(bytes, 2))
  }
  return required.length === 0 ? schema : { ...schema, required }
}

/** Extension values are YAML text. */
function anyIn(message: Uint8Array): unknown {
  return load(text(inside(message, 2)))
}

/** The first field with that number. */
function inside(message: Uint8Array, number: number): Uint8Array {
  return [...fieldsOf(message)].find((one) => one.number === number)?.bytes ?? new Uint8Array()
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
