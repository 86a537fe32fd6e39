/**
 * What is wrong with one field, in the words of the Kubernetes API: the type becomes the reason of a status cause, the text the
 * message a user reads.
 */
import type { Json } from '../runtime/json.ts'
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
  /** Path such as `spec.ports[0].port`; `<nil>` where Kubernetes names none. */
  readonly field: string
  /** The value as the message shows it; absent where Kubernetes leaves it out. */
  readonly badValue?: Json
  readonly detail: string
  /** The schema keyword that was not met, for example `maxLength`. */
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

/** The error without its path, as a status cause carries it. */
export function describeFieldError(error: FieldError): string {
  const value = error.badValue === undefined || withoutValue.has(error.type) ? '' : `: ${shownValue(error.badValue)}`
  return `${titles[error.type]}${value}${error.detail === '' ? '' : `: ${error.detail}`}`
}

/** For example `spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${describeFieldError(error)}`
}

/** For files that people write for us: a field nobody knows is named as it stands there, and no path is invented. */
export function explainFieldError(error: FieldError): string {
  const { field, badValue, detail, rule } = error
  if (rule === 'additionalProperties')
    return `${field === '<nil>' ? '' : `${field}.`}${String(badValue)}: there is no such field`
  return field === '<nil>' ? detail : formatFieldError(error)
}
