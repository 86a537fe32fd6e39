/**
 * Checks that a schema is structural, which the API server requires of every CustomResourceDefinition: each part has a type, and allOf,
 * anyOf, oneOf and not only restrict parts that are declared. The errors are those of the condition `NonStructuralSchema`.
 */
import { checkDepth } from './depth.ts'
import type { FieldError } from './field-error.ts'
import { RegexSyntaxError } from './regex/error.ts'
import { compileRegex } from './regex/regex.ts'
import type { Schema } from './schema.ts'
import { stableText } from './text.ts'

/** @param path path of the schema, for example `spec.versions[0].schema.openAPIV3Schema` */
export function checkStructural(schema: Schema, path: string): readonly FieldError[] {
  const check = new StructuralCheck()
  check.spine(schema, 'root', path, 0)
  check.completeness(schema, schema, path, path, 0)
  return check.errors.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

type Level = 'root' | 'item' | 'field'

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

/** Keywords that are allowed only in the structural part of a schema. */
const spineOnly: readonly (readonly [keyof Schema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

const intOrStringOptions = stableText([{ type: 'integer' }, { type: 'string' }])

class StructuralCheck {
  readonly errors: FieldError[] = []

  /** Checks the structural part: properties, items and additional properties at every depth. */
  spine(schema: Schema, level: Level, path: string, depth: number): void {
    checkDepth(depth)
    if (schema.type === 'array' && schema.items === undefined) this.#required(`${path}.items`, 'must be specified')
    if (schema.items !== undefined) this.spine(schema.items, 'item', `${path}.items`, depth + 1)
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.spine(property, 'field', `${path}.properties[${name}]`, depth + 1)
    }
    const additional = schema.additionalProperties
    if (additional !== undefined) {
      if (level === 'root') this.#forbidden(`${path}.additionalProperties`, 'must not be used at the root')
      if (typeof additional === 'object') this.spine(additional, 'field', `${path}.additionalProperties`, depth + 1)
    }
    this.#extensions(schema, path)
    const anyOf = stableText((schema.anyOf ?? []) as never) === intOrStringOptions
    const allOf = stableText((schema.allOf?.[0]?.anyOf ?? []) as never) === intOrStringOptions
    this.#values(schema, anyOf, allOf, path, depth)
    this.#type(schema, level, path)
    this.#objectFields(schema, level, path)
  }

  #type(schema: Schema, level: Level, path: string): void {
    const { type } = schema
    const place = `${path}.type`
    if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true'
      if (!type) this.#required(place, detail)
      else this.#invalid(place, type, detail)
    } else if (
      !type &&
      schema['x-kubernetes-int-or-string'] !== true &&
      schema['x-kubernetes-preserve-unknown-fields'] !== true
    ) {
      this.#required(place, emptyType[level])
    }
    if (level === 'root' && type && type !== 'object') this.#invalid(place, type, 'must be object at the root')
  }

  #extensions(schema: Schema, path: string): void {
    if (schema['x-kubernetes-int-or-string'] !== true) return
    for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[name] === true) {
        this.#invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true')
      }
    }
  }

  /** The types of `apiVersion`, `kind` and `metadata` of whole objects are fixed; a schema may only repeat them. */
  #objectFields(schema: Schema, level: Level, path: string): void {
    const embedded = schema['x-kubernetes-embedded-resource'] === true
    const properties = schema.properties ?? {}
    if (level === 'root' || embedded) {
      for (const [name, type] of [
        ['kind', 'string'],
        ['apiVersion', 'string'],
        ['metadata', 'object'],
      ] as const) {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined
        if (property !== undefined && property.type !== type) {
          this.#invalid(`${path}.properties[${name}].type`, property.type ?? '', `must be ${type}`)
        }
      }
    }
    if (level === 'root' && properties['metadata'] !== undefined) this.#metadata(properties['metadata'], path)
    if (!embedded) return
    if (schema.additionalProperties !== undefined) {
      this.#forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')
    }
    if (schema['x-kubernetes-preserve-unknown-fields'] !== true && Object.keys(properties).length === 0) {
      this.#required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      )
    }
  }

  #metadata(schema: Schema, path: string): void {
    const { type: _, default: __, properties = {}, ...rest } = schema
    const foreign = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName')
    if (foreign || Object.keys(rest).length > 0) {
      this.#forbidden(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      )
    }
  }

  #values(schema: Schema, skipAnyOf: boolean, skipFirstAllOf: boolean, path: string, depth: number): void {
    for (const [index, part] of (skipAnyOf ? [] : (schema.anyOf ?? [])).entries()) {
      this.#nested(part, false, `${path}.anyOf[${index}]`, depth)
    }
    for (const [index, part] of (schema.allOf ?? []).entries()) {
      this.#nested(part, skipFirstAllOf && index === 0, `${path}.allOf[${index}]`, depth)
    }
    for (const [index, part] of (schema.oneOf ?? []).entries())
      this.#nested(part, false, `${path}.oneOf[${index}]`, depth)
    if (schema.not !== undefined) this.#nested(schema.not, false, `${path}.not`, depth)
    if (schema.pattern) this.#pattern(schema.pattern, `${path}.pattern`)
  }

  #pattern(pattern: string, path: string): void {
    try {
      compileRegex(pattern)
    } catch (error) {
      if (!(error instanceof RegexSyntaxError)) throw error
      this.#invalid(path, pattern, `must be a valid regular expression, but isn't: ${error.message}`)
    }
  }

  #nested(schema: Schema, skipAnyOf: boolean, path: string, depth: number): void {
    checkDepth(depth + 1)
    this.#values(schema, skipAnyOf, false, path, depth + 1)
    if (schema.items !== undefined) this.#nested(schema.items, false, `${path}.items`, depth + 1)
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.#nested(property, false, `${path}.properties[${name}]`, depth + 1)
    }
    for (const [name, detail] of spineOnly) {
      const value = schema[name]
      const empty =
        value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)
      if (!empty || (name === 'additionalProperties' && value === false)) this.#forbidden(`${path}.${name}`, detail)
    }
    if (Object.hasOwn(schema.properties ?? {}, 'metadata')) {
      this.#forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')
    }
  }

  /** Everything in a combinator must exist in the structural part. */
  completeness(values: Schema, spine: Schema, spinePath: string, path: string, depth: number): void {
    checkDepth(depth)
    const parts: [Schema, string][] = []
    if (values.not !== undefined) parts.push([values.not, `${path}.not`])
    for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
      for (const [index, part] of (values[name] ?? []).entries()) parts.push([part, `${path}.${name}[${index}]`])
    }
    for (const [part, partPath] of parts) this.#complete(part, spine, spinePath, partPath, depth + 1)
  }

  #complete(part: Schema, spine: Schema | undefined, spinePath: string, path: string, depth: number): void {
    if (spine === undefined) {
      this.#required(spinePath, `because it is defined in ${path}`)
      return
    }
    this.completeness(part, spine, spinePath, path, depth)
    if (part.items !== undefined) this.#complete(part.items, spine.items, `${spinePath}.items`, `${path}.items`, depth)
    for (const [name, property] of Object.entries(part.properties ?? {})) {
      const below = Object.hasOwn(spine.properties ?? {}, name) ? spine.properties?.[name] : undefined
      this.#complete(property, below, `${spinePath}.properties[${name}]`, `${path}.properties[${name}]`, depth)
    }
  }

  #required(field: string, detail: string): void {
    this.errors.push({ type: 'FieldValueRequired', field, badValue: '', detail, rule: 'structural' })
  }

  #forbidden(field: string, detail: string): void {
    this.errors.push({ type: 'FieldValueForbidden', field, badValue: '', detail, rule: 'structural' })
  }

  #invalid(field: string, badValue: string | boolean, detail: string): void {
    this.errors.push({ type: 'FieldValueInvalid', field, badValue, detail, rule: 'structural' })
  }
}

function textOf(error: FieldError): string {
  return `${error.field} ${error.type} ${error.detail}`
}
