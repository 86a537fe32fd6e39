/** Reads selectors of bindings: label selectors in the API format, field selectors as the text that the API takes. */
import { isLabelKey, isLabelValue, type LabelRequirement, type LabelSelector } from '../../../kube/index.ts'
import type { Fields } from './fields.ts'
import { shown } from './findings.ts'

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** Accepts `operation`, as in the documentation of shell-operator, and `operator`, as in the API. */
export function readLabelSelector(fields: Fields): LabelSelector {
  const matchLabels = fields.textMap('matchLabels')
  for (const [key, value] of Object.entries(matchLabels ?? {})) checkLabel(fields, 'matchLabels', key, [value])
  const matchExpressions = fields.objects('matchExpressions', 'any').map(readRequirement)
  fields.end()
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  }
}

function readRequirement(fields: Fields): LabelRequirement {
  const key = fields.required('key')
  const operator = fields.choice('operator', operators) ?? fields.choice('operation', operators)
  if (!fields.has('operator') && !fields.has('operation')) fields.error('operator', 'is required')
  const values = fields.texts('values') ?? []
  const needsValues = operator === 'In' || operator === 'NotIn'
  if (needsValues && values.length === 0) fields.error('values', `must not be empty with ${operator}`)
  if (operator !== undefined && !needsValues && values.length > 0)
    fields.error('values', `must be left out with ${operator}`)
  checkLabel(fields, 'values', key, values)
  fields.end()
  return { key, operator: operator ?? 'Exists', ...(needsValues ? { values } : {}) }
}

/** Checked here because the API server would refuse the list without naming the hook. */
function checkLabel(fields: Fields, field: string, key: string, values: readonly string[]): void {
  if (key !== '' && !isLabelKey(key)) fields.error(field, `${shown(key)} is not a valid label name`)
  for (const value of values)
    if (!isLabelValue(value)) fields.error(field, `${shown(value)} is not a valid label value`)
}

const equals = ['=', '==', 'Equals'] as const
const differs = ['!=', 'NotEquals'] as const

/** Expressions joined by commas, which means "and". */
export function readFieldSelector(fields: Fields): string {
  const parts = fields.objects('matchExpressions', 'any').map((expression) => {
    const field = expression.required('field')
    const operator = expression.choice('operator', [...equals, ...differs])
    if (!expression.has('operator')) expression.error('operator', 'is required')
    const value = expression.text('value')
    if (value === undefined && !expression.has('value')) expression.error('value', 'is required')
    expression.end()
    const isEqual = equals.some((word) => word === operator)
    return `${field}${isEqual ? '=' : '!='}${(value ?? '').replace(/[\\,=]/g, '\\$&')}`
  })
  fields.end()
  return parts.join(',')
}
