/**
 * Validates the form of a schema: every keyword must have the right type at every depth, so that other code can rely on it. Unknown
 * keywords are ignored, as in the API server.
 */
import { CarabinerError, isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { checkDepth } from './depth.ts'
import type { Schema } from './schema.ts'

type Form =
  | 'string'
  | 'number'
  | 'boolean'
  | 'anything'
  | 'list'
  | 'names'
  | 'schema'
  | 'schemas'
  | 'schemas by name'
  | 'schema or boolean'
  | 'schemas or names by name'
  | 'rules'
  | 'reference'

const forms: Readonly<Record<string, Form>> = {
  $ref: 'string',
  title: 'string',
  description: 'string',
  type: 'string',
  format: 'string',
  default: 'anything',
  nullable: 'boolean',
  enum: 'list',
  minimum: 'number',
  exclusiveMinimum: 'boolean',
  maximum: 'number',
  exclusiveMaximum: 'boolean',
  multipleOf: 'number',
  minLength: 'number',
  maxLength: 'number',
  pattern: 'string',
  items: 'schema',
  minItems: 'number',
  maxItems: 'number',
  uniqueItems: 'boolean',
  additionalItems: 'schema or boolean',
  properties: 'schemas by name',
  patternProperties: 'schemas by name',
  additionalProperties: 'schema or boolean',
  required: 'names',
  minProperties: 'number',
  maxProperties: 'number',
  dependencies: 'schemas or names by name',
  definitions: 'schemas by name',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  'x-kubernetes-preserve-unknown-fields': 'boolean',
  'x-kubernetes-embedded-resource': 'boolean',
  'x-kubernetes-int-or-string': 'boolean',
  'x-kubernetes-list-type': 'string',
  'x-kubernetes-list-map-keys': 'names',
  'x-kubernetes-map-type': 'string',
  'x-kubernetes-validations': 'rules',
  'x-extend': 'reference',
  'x-required-for-helm': 'names',
}

/**
 * @param where names the schema in errors, for example a file
 * @throws CarabinerError `CRB_SCHEMA_INVALID`, naming the keyword and its value
 */
export function readSchema(json: Json, where: string): Schema {
  return read(json, where, 0)
}

function read(json: Json, where: string, depth: number): Schema {
  checkDepth(depth)
  if (!isJsonObject(json)) throw invalid(where, 'must be a schema (an object)', json)
  let changed = false
  const entries = Object.entries(json).flatMap(([keyword, value]): [string, Json][] => {
    const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined
    if (form === undefined) return [[keyword, value]]
    // A keyword with the value null counts as absent; only a default can be null.
    if (value === null && form !== 'anything') {
      changed = true
      return []
    }
    const kept = readKeyword(value, form, `${where}.${keyword}`, depth + 1)
    changed ||= kept !== value
    return [[keyword, kept]]
  })
  return (changed ? Object.fromEntries(entries) : json) as Schema
}

function readKeyword(value: Json, form: Form, where: string, depth: number): Json {
  switch (form) {
    case 'anything':
      return value
    case 'string':
    case 'number':
    case 'boolean':
      return expect(typeof value === form, value, where, `must be a ${form}`)
    case 'list':
      return expect(Array.isArray(value), value, where, 'must be a list')
    case 'names':
      return expect(isNames(value), value, where, 'must be a list of names')
    case 'schema':
      return read(value, where, depth) as unknown as Json
    case 'schema or boolean':
      return typeof value === 'boolean' ? value : (read(value, where, depth) as unknown as Json)
    case 'schemas':
      expect(Array.isArray(value), value, where, 'must be a list of schemas')
      return all(value as readonly Json[], (part, index) => read(part, `${where}[${index}]`, depth) as unknown as Json)
    case 'schemas by name':
      return byName(value, where, (part, place) => read(part, place, depth) as unknown as Json)
    case 'schemas or names by name':
      return byName(value, where, (part, place) =>
        isNames(part) ? part : (read(part, place, depth) as unknown as Json),
      )
    case 'rules': {
      const ok = Array.isArray(value) && value.every((rule) => isJsonObject(rule) && typeof rule['rule'] === 'string')
      return expect(ok, value, where, 'must be a list of rules, each with the text of a rule')
    }
    case 'reference':
      return expect(isJsonObject(value) && typeof value['schema'] === 'string', value, where, 'must name a schema')
  }
}

function all(value: readonly Json[], part: (json: Json, index: number) => Json): readonly Json[] {
  const kept = value.map(part)
  return kept.every((json, index) => json === value[index]) ? value : kept
}

function byName(value: Json, where: string, part: (json: Json, place: string) => Json): JsonObject {
  if (!isJsonObject(value)) throw invalid(where, 'must be an object', value)
  let changed = false
  const entries = Object.entries(value).map(([name, json]): [string, Json] => {
    const kept = part(json, `${where}.${name}`)
    changed ||= kept !== json
    return [name, kept]
  })
  return changed ? Object.fromEntries(entries) : value
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function expect(ok: boolean, value: Json, where: string, what: string): Json {
  if (ok) return value
  throw invalid(where, what, value)
}

function invalid(where: string, what: string, value: Json): CarabinerError {
  const found = JSON.stringify(value)
  return new CarabinerError(
    'CRB_SCHEMA_INVALID',
    `${where} ${what}, found ${found.length > 60 ? `${found.slice(0, 57)}...` : found}`,
  )
}
