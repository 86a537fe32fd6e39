/**
 * Decodes request bodies as built-in types, with the results of the real API server's decoder: unknown fields are
 * dropped and reported, wrong types refused, values canonicalized. Sets no defaults.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import type { Decoded } from '../resource.ts'
import { badRequest, DecodeError } from '../status/status-error.ts'
import type { Definition, TypeModel } from './model.ts'
import type { Field, TypeReference } from './notation.ts'
import { DecodeFault, decodeScalar, jsonType } from './scalars.ts'
import { nullFields, significantZeros } from './zero-values.ts'

export class Decoder {
  readonly #model: TypeModel

  constructor(model: TypeModel) {
    this.#model = model
  }

  decode(body: JsonObject, type: { readonly group: string; readonly version: string; readonly kind: string }): Decoded {
    const definition = this.#model.kindDefinition(type.group, type.version, type.kind)
    if (definition === undefined) throw badRequest(`no kind "${type.kind}" is registered for version "${type.version}"`)
    const faults: string[] = []
    try {
      const object = this.#object(body, definition, '', '', faults)
      return { object: object as ApiObject, faults }
    } catch (error) {
      if (!(error instanceof DecodeFault)) throw error
      throw new DecodeError(type, error.message)
    }
  }

  /** Decodes the metadata of a kind that is not in the model; `refuse` creates the error. */
  decodeMetadata(
    body: JsonObject,
    refuse: (fault: string) => Error,
  ): { readonly metadata: JsonObject; readonly faults: readonly string[] } {
    const faults: string[] = []
    try {
      const metadata = this.#object(body, this.#model.definition('meta.v1.ObjectMeta'), 'metadata', '', faults)
      return { metadata, faults }
    } catch (error) {
      throw error instanceof DecodeFault ? refuse(error.message) : error
    }
  }

  /** The value the real API server writes for an unset field, such as an empty status. */
  emptyField(definition: Definition, name: string): Json {
    const field = definition.fields.get(name)
    return field === undefined ? {} : this.#zeroOf(field)
  }

  /** `path` has indexes and is used for unknown fields; `place` has none and is used for type errors. */
  #object(body: JsonObject, definition: Definition, path: string, place: string, faults: string[]): JsonObject {
    const result: Record<string, Json> = {}
    for (const [name, value] of Object.entries(body)) {
      const field = definition.fields.get(name)
      const inner = path === '' ? name : `${path}.${name}`
      if (field === undefined) {
        faults.push(`unknown field "${inner}"`)
        continue
      }
      if (value === null) continue
      const owner = definition.name.slice(definition.name.lastIndexOf('.') + 1)
      const where = place === '' ? name : `${place}.${name}`
      const decoded = this.#value(value, field.type, { path: inner, place: where, owner }, faults)
      if (!isDropped(decoded, field, name, definition)) result[name] = decoded
    }
    return this.#completed(result, definition)
  }

  /** Adds fields that the real API server writes even when they are unset. */
  #completed(result: Record<string, Json>, definition: Definition): JsonObject {
    for (const [name, field] of definition.fields) {
      if (name in result) continue
      if (field.always) result[name] = this.#zeroOf(field)
    }
    for (const name of nullFields(definition.name)) result[name] ??= null
    return result
  }

  #zeroOf({ type }: Field): Json {
    if (type.is === 'definition') return this.#completed({}, this.#model.definition(type.name))
    if (type.is !== 'scalar') return {}
    if (type.type === 'string') return ''
    return type.type === 'boolean' ? false : 0
  }

  #value(value: Json, type: TypeReference, at: Place, faults: string[]): Json {
    switch (type.is) {
      case 'any':
        return value
      case 'object':
        if (!isJsonObject(value)) throw mismatch(value, 'map[string]interface {}', at)
        return value
      case 'scalar':
        return decodeScalar(value, type, at)
      case 'definition': {
        if (!isJsonObject(value)) throw mismatch(value, goName(type), at)
        return this.#object(value, this.#model.definition(type.name), at.path, at.place, faults)
      }
      case 'list': {
        if (!Array.isArray(value)) throw mismatch(value, goName(type), at)
        return (value as readonly Json[]).map((item, index) =>
          item === null
            ? this.#emptyItem(type.of)
            : this.#value(item, type.of, { ...at, path: `${at.path}[${index}]` }, faults),
        )
      }
      case 'map': {
        if (!isJsonObject(value)) throw mismatch(value, goName(type), at)
        const entries = Object.entries(value).map(([key, content]): [string, Json] => [
          key,
          content === null
            ? this.#emptyItem(type.of)
            : this.#value(content, type.of, { ...at, path: `${at.path}.${key}` }, faults),
        ])
        return Object.fromEntries(entries)
      }
    }
  }

  #emptyItem(type: TypeReference): Json {
    return type.is === 'definition' || type.is === 'scalar' ? this.#zeroOf({ type, always: true }) : {}
  }
}

interface Place {
  readonly path: string
  readonly place: string
  /** The Go struct of the field. */
  readonly owner: string
}

function mismatch(value: Json, type: string, { owner, place }: Place): DecodeFault {
  return new DecodeFault(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${owner}.${place} of type ${type}`,
  )
}

/** The Go type as error messages name it. */
function goName(type: TypeReference): string {
  switch (type.is) {
    case 'list':
      return `[]${goName(type.of)}`
    case 'map':
      return `map[string]${goName(type.of)}`
    case 'definition':
      return type.name.split('.').slice(-2).join('.')
    case 'scalar':
      return type.type === 'boolean' ? 'bool' : type.type === 'string' ? 'string' : type.format || 'int64'
    default:
      return 'interface {}'
  }
}

/** Drops empty optional fields, like Go's `omitempty`. */
function isDropped(value: Json, field: Field, name: string, definition: Definition): boolean {
  // An empty managedFields list is significant: it resets field ownership.
  if (field.always || name === 'managedFields') return false
  if (field.type.is === 'list' || field.type.is === 'map') {
    const size = Array.isArray(value) ? value.length : Object.keys(value as JsonObject).length
    return size === 0 && !definition.required.includes(name)
  }
  if (value === '' || value === 0 || value === false) {
    return !significantZeros(definition.name).has(name) && !definition.required.includes(name)
  }
  return false
}
