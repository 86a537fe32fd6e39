/**
 * The type of all schemas: structural OpenAPI v3 schemas of CustomResourceDefinitions, published schemas of built-in kinds, and schemas of
 * values files. Plain data.
 */
import type { Json } from '../runtime/index.ts'

export interface Schema {
  readonly id?: string
  readonly $schema?: string
  /** Only in published documents; resolved before use, and forbidden in a CustomResourceDefinition. */
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly default?: Json
  readonly example?: Json
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly nullable?: boolean
  readonly enum?: readonly Json[]

  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number

  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string

  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly additionalItems?: Schema | boolean

  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly dependencies?: Readonly<Record<string, Schema | readonly string[]>>
  readonly definitions?: Readonly<Record<string, Schema>>

  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema

  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]

  /** Strategic merge patch, built-in kinds only: `merge`, `replace`, `retainKeys`, or `merge,retainKeys`. */
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
  readonly 'x-kubernetes-unions'?: readonly Json[]

  /** Values files: the schema that this one extends. */
  readonly 'x-extend'?: { readonly schema: string }
  /** Values files: properties that are required only when a chart is rendered. */
  readonly 'x-required-for-helm'?: readonly string[]
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}
