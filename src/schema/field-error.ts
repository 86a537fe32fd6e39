/**
 * An error of one field with the message of the Kubernetes API: the type is the reason of a status cause, the text its message.
 */
import type { Json } from '../runtime/index.ts'
import { shownValue } from './text.ts'

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'

export interface FieldError {
  readonly type: FieldErrorType
  /** Path such as `spec.ports[0].port`; `<nil>` when Kubernetes names none. */
  readonly field: string
  /** The value in the message; absent when Kubernetes omits it. */
  readonly badValue?: Json
  readonly detail: string
  /** The schema keyword that failed, for example `maxLength`. */
  readonly rule: string
}

const titles: Record<FieldErrorType, string> = {
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
}

const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
])

/** The error without its path, as in a status cause. */
export function describeFieldError(error: FieldError): string {
  const value = error.badValue === undefined || withoutValue.has(error.type) ? '' : `: ${shownValue(error.badValue)}`
  return `${titles[error.type]}${value}${error.detail === '' ? '' : `: ${error.detail}`}`
}

/** For example `spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${describeFieldError(error)}`
}

/** For files of users: an unknown field is named as in the file, and no artificial path is shown. */
export function explainFieldError(error: FieldError): string {
  const { field, badValue, detail, rule } = error
  if (rule === 'additionalProperties')
    return `${field === '<nil>' ? '' : `${field}.`}${String(badValue)}: there is no such field`
  return field === '<nil>' ? detail : formatFieldError(error)
}
