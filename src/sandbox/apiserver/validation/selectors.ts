/** Validates label selectors and matches them with labels. */
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type FieldError, forbiddenValue, invalid, required } from '../field-error.ts'
import { validateLabelKey, validateLabelValue } from '../selectors/names.ts'
import { labels } from './common.ts'

export function validateSelector(selector: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [...labels(selector['matchLabels'], `${field}.matchLabels`)]
  for (const [index, expression] of listAt(selector, 'matchExpressions').entries()) {
    append(errors, expressionErrors(expression, `${field}.matchExpressions[${index}]`))
  }
  return errors
}

function expressionErrors(expression: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const values = valuesOf(expression)
  switch (expression['operator']) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
      }
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(
          forbiddenValue(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        )
      }
      break
    default:
      errors.push(invalid(`${field}.operator`, expression['operator'] ?? '', 'not a valid selector operator'))
  }
  const key = String(expression['key'] ?? '')
  append(
    errors,
    validateLabelKey(key).map((fault) => invalid(`${field}.key`, key, fault)),
  )
  for (const [index, value] of values.entries()) {
    append(
      errors,
      validateLabelValue(value).map((fault) => invalid(`${field}.values[${index}]`, value, fault)),
    )
  }
  return errors
}

function valuesOf(expression: JsonObject): readonly string[] {
  const values = expression['values']
  return Array.isArray(values) ? (values as readonly Json[]).map(String) : []
}

export function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0
  )
}

export function selects(selector: JsonObject, given: Json | undefined): boolean {
  const own = isJsonObject(given) ? given : {}
  const isEqual = Object.entries(objectAt(selector, 'matchLabels')).every(([key, value]) => own[key] === value)
  return isEqual && listAt(selector, 'matchExpressions').every((expression) => holds(expression, own))
}

function holds(expression: JsonObject, own: JsonObject): boolean {
  const value = own[String(expression['key'])]
  const isListed = value !== undefined && valuesOf(expression).includes(String(value))
  switch (expression['operator']) {
    case 'In':
      return isListed
    case 'NotIn':
      return !isListed
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}
