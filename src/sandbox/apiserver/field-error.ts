/**
 * One validation error of one field, with the messages and reasons of the real API server: they become `details.causes`
 * and the message of a 422 response.
 */
import type { Json } from '../../runtime/index.ts'

export interface FieldError {
  /** As in `details.causes[].reason`. */
  readonly reason:
    | 'FieldValueNotFound'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'InternalError'
    | 'FieldValueTypeInvalid'
  /** Path such as `spec.template.spec.containers[0].name`. */
  readonly field: string
  /** Without the field, for example `Invalid value: "A": must be lower case`. */
  readonly message: string
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail('Required value', detail) }
}

export function invalid(field: string, value: Json, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: withDetail(`Invalid value: ${JSON.stringify(value)}`, detail) }
}

export function duplicate(field: string, value: Json): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(value)}` }
}

export function notFoundValue(field: string, value: Json): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${JSON.stringify(value)}` }
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const names = supported.map((name) => JSON.stringify(name))
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: withDetail(
      `Unsupported value: ${JSON.stringify(value)}`,
      names.length === 0 ? '' : `supported values: ${names.join(', ')}`,
    ),
  }
}

export function forbiddenValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: withDetail('Forbidden', detail) }
}

export function tooLong(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` }
}
