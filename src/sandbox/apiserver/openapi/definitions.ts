/**
 * The type model as OpenAPI schemas, under the names of the real API server and with references between them.
 * Descriptions are left out: explain, validation and merging do not need them.
 */
import type { Json, JsonObject } from '../../../runtime/index.ts'
import type { Definition, TypeModel } from '../types/model.ts'
import type { Field, TypeReference } from '../types/notation.ts'

const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension'
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Converts the short name of a definition to its published name. */
export function publishedName(name: string): string {
  if (name.startsWith('meta.')) return `io.k8s.apimachinery.pkg.apis.${name}`
  if (name.startsWith('apiextensions.')) return `io.k8s.apiextensions-apiserver.pkg.apis.${name}`
  return name.startsWith('io.') ? name : `io.k8s.api.${name}`
}

export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** Scalars that published documents define as schemas of their own. */
const scalars: Readonly<Record<string, readonly [string, JsonObject]>> = {
  quantity: ['io.k8s.apimachinery.pkg.api.resource.Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  'int-or-string': [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  'date-time': [`${meta}.Time`, { type: 'string', format: 'date-time' }],
  'date-time-micro': [`${meta}.MicroTime`, { type: 'string', format: 'date-time' }],
}

/** Collects the schemas of a document: those added and all they refer to. */
export class PublishedSchemas {
  readonly #model: TypeModel
  readonly #schemas = new Map<string, JsonObject>()

  constructor(model: TypeModel) {
    this.#model = model
  }

  /** Adds a definition of the model and all it refers to; returns the reference to it. */
  add(name: string, kind?: JsonObject): JsonObject {
    const published = publishedName(name)
    if (!this.#schemas.has(published)) {
      // Reserve the name first: definitions can refer to themselves and each other.
      this.#schemas.set(published, {})
      this.#schemas.set(published, this.#schema(this.#model.definition(name), kind))
    }
    return reference(published)
  }

  /** Adds a schema that is not in the model. */
  put(name: string, schema: JsonObject): JsonObject {
    this.#schemas.set(name, schema)
    return reference(name)
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #schema({ fields, required, atomic, unions }: Definition, kind: JsonObject | undefined): JsonObject {
    const properties = Object.fromEntries([...fields].map(([name, field]) => [name, this.#field(field)]))
    return {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties,
      ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': [kind] }),
      ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(unions === undefined ? {} : { 'x-kubernetes-unions': unions as Json }),
    }
  }

  #field(field: Field): JsonObject {
    const type = this.#type(field.type, field.enum)
    // OpenAPI ignores fields next to `$ref`, so a reference with more fields is wrapped in allOf.
    const schema: Record<string, Json> =
      '$ref' in type && Object.keys(type).length === 1 ? { allOf: [type] } : { ...type }
    if (field.listType !== undefined) {
      schema[schema['type'] === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type'] = field.listType
    }
    if (field.mapKeys !== undefined) schema['x-kubernetes-list-map-keys'] = field.mapKeys
    if (field.patchStrategy !== undefined) schema['x-kubernetes-patch-strategy'] = field.patchStrategy
    if (field.mergeKey !== undefined) schema['x-kubernetes-patch-merge-key'] = field.mergeKey
    if (field.default !== undefined) {
      schema['default'] = schema['type'] === 'integer' ? Number(field.default) : field.default
    } else if (field.always) schema['default'] = zeroOf(field.type)
    return schema
  }

  /** An enum applies to the innermost type: to the items of a list, not to the list. */
  #type(type: TypeReference, values?: readonly string[]): JsonObject {
    switch (type.is) {
      case 'definition':
        return this.add(type.name)
      case 'list':
        return { type: 'array', items: this.#type(type.of, values) }
      case 'map':
        return { type: 'object', additionalProperties: this.#type(type.of, values) }
      case 'object':
        return this.put(type.name === '' ? rawExtension : publishedName(type.name), { type: 'object' })
      case 'any':
        return this.put(publishedName(type.name), {})
      case 'scalar': {
        const known = scalars[type.type] ?? scalars[type.format]
        if (known !== undefined) return this.put(...known)
        return {
          type: type.type,
          ...(type.format === '' ? {} : { format: type.format }),
          ...(values === undefined ? {} : { enum: values }),
        }
      }
    }
  }
}

function zeroOf(type: TypeReference): Json {
  if (type.is !== 'scalar') return {}
  if (type.type === 'string') return ''
  return type.type === 'boolean' ? false : 0
}
