/**
 * A schema prepared for validation: children by name, compiled patterns, types as a bit set. A node is created when a value first reaches
 * it and cached with its schema, so only the used parts of a large schema are prepared.
 */
import { CarabinerError, type Json } from '../runtime/index.ts'
import { type FormatCheck, formatCheck, numericFormat } from './formats.ts'
import { RegexSyntaxError } from './regex/error.ts'
import { compileRegex, type Regex } from './regex/regex.ts'
import type { Schema } from './schema.ts'

export const types = { string: 1, integer: 2, number: 4, boolean: 8, object: 16, array: 32 } as const

export type TypeName = keyof typeof types

const nodes = new WeakMap<Schema, SchemaNode>()

export function nodeOf(schema: Schema): SchemaNode {
  const known = nodes.get(schema)
  if (known !== undefined) return known
  const node = new SchemaNode(schema)
  nodes.set(schema, node)
  return node
}

export class SchemaNode {
  readonly schema: Schema
  /** Allowed types as bits; 0 when the schema has no type. */
  readonly types: number
  /** The type names in messages of Kubernetes. */
  readonly typeName: string
  readonly nullable: boolean
  readonly preserves: boolean
  readonly embedded: boolean
  readonly required: readonly string[] | undefined
  readonly hasStringRules: boolean
  readonly hasNumberRules: boolean
  readonly hasCombinators: boolean
  /** The format, if Kubernetes checks it for this type. */
  readonly format: string | undefined
  readonly formatCheck: FormatCheck | undefined
  #properties: Map<string, SchemaNode> | undefined
  #patternProperties: readonly (readonly [Regex, SchemaNode])[] | undefined
  #items: SchemaNode | undefined
  #additional: SchemaNode | boolean | undefined
  #pattern: Regex | undefined
  #enumScalars: ReadonlySet<Json> | undefined

  constructor(schema: Schema) {
    if (typeof schema !== 'object' || schema === null) {
      throw new CarabinerError('CRB_SCHEMA_INVALID', `a schema must be an object, found ${JSON.stringify(schema)}`)
    }
    this.schema = schema
    const intOrString = schema['x-kubernetes-int-or-string'] === true
    this.types = intOrString ? types.integer | types.string : typeBits(schema.type)
    this.typeName = intOrString ? 'integer,string' : (schema.type ?? '')
    this.nullable = schema.nullable === true
    this.preserves = schema['x-kubernetes-preserve-unknown-fields'] === true
    this.embedded = schema['x-kubernetes-embedded-resource'] === true
    this.required = schema.required !== undefined && schema.required.length > 0 ? schema.required : undefined
    this.format = intOrString ? undefined : checkedFormat(schema)
    this.formatCheck = this.format === undefined ? undefined : formatCheck(this.format)
    this.hasStringRules =
      schema.maxLength !== undefined ||
      schema.minLength !== undefined ||
      schema.pattern !== undefined ||
      this.format !== undefined
    this.hasNumberRules =
      schema.minimum !== undefined ||
      schema.maximum !== undefined ||
      schema.multipleOf !== undefined ||
      this.format !== undefined ||
      schema.type === 'integer'
    this.hasCombinators =
      schema.allOf !== undefined ||
      schema.anyOf !== undefined ||
      schema.oneOf !== undefined ||
      schema.not !== undefined ||
      schema.dependencies !== undefined
  }

  get properties(): ReadonlyMap<string, SchemaNode> {
    if (this.#properties === undefined) {
      this.#properties = new Map()
      for (const [name, child] of Object.entries(this.schema.properties ?? {}))
        this.#properties.set(name, nodeOf(child))
    }
    return this.#properties
  }

  get patternProperties(): readonly (readonly [Regex, SchemaNode])[] {
    this.#patternProperties ??= Object.entries(this.schema.patternProperties ?? {}).map(
      ([pattern, child]) => [patternRegex(pattern), nodeOf(child)] as const,
    )
    return this.#patternProperties
  }

  get items(): SchemaNode | undefined {
    if (this.#items === undefined && this.schema.items !== undefined) this.#items = nodeOf(this.schema.items)
    return this.#items
  }

  /** The schema of members that are not properties, or whether they are allowed; undefined when the schema does not say. */
  get additional(): SchemaNode | boolean | undefined {
    if (this.#additional === undefined) {
      const given = this.schema.additionalProperties
      this.#additional = typeof given === 'object' ? nodeOf(given) : given
    }
    return this.#additional
  }

  get pattern(): Regex | undefined {
    if (this.#pattern === undefined && this.schema.pattern) this.#pattern = patternRegex(this.schema.pattern)
    return this.#pattern
  }

  get enumScalars(): ReadonlySet<Json> {
    this.#enumScalars ??= new Set(this.schema.enum)
    return this.#enumScalars
  }

  /** The node of a member: a property or the additional properties. */
  child(name: string): SchemaNode | undefined {
    const property = this.properties.get(name)
    if (property !== undefined) return property
    return typeof this.additional === 'object' ? this.additional : undefined
  }
}

/** An invalid pattern matches nothing; messages that quote it say that it is invalid. */
function patternRegex(source: string): Regex {
  try {
    return compileRegex(source)
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error
    const quoted = `${source}, but pattern is invalid: ${error.message}`
    return { source: quoted, test: () => false, find: () => undefined }
  }
}

function typeBits(type: string | undefined): number {
  if (type === undefined || type === '') return 0
  // The type number includes integers.
  if (type === 'number') return types.number | types.integer
  return Object.hasOwn(types, type) ? types[type as TypeName] : 64
}

function checkedFormat(schema: Schema): string | undefined {
  const { format, type } = schema
  if (format === undefined || format === '') return undefined
  if (type === undefined || type === '' || type === 'string')
    return formatCheck(format) === undefined ? undefined : format
  return numericFormat(type, format) ? format : undefined
}
