/**
 * Selectors as hooks write them: label selectors as the API has them, field selectors as the text that it takes.
 */
import type { LabelRequirement, LabelSelector } from '../../../kube/label-selector.ts'
import { isLabelKey, isLabelValue } from '../../../kube/names.ts'
import type { Fields } from './fields.ts'
import { shown } from './findings.ts'

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** The document calls the verb of an expression `operation`, the API `operator`. */
export function readLabelSelector(fields: Fields): LabelSelector {
  const matchLabels = fields.textMap('matchLabels')
  for (const [key, value] of Object.entries(matchLabels ?? {})) checkLabel(fields, 'matchLabels', key, [value])
  const matchExpressions = fields.objects('matchExpressions').map(readRequirement)
  fields.end()
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  }
}

function readRequirement(fields: Fields): LabelRequirement {
  const key = fields.required('key')
  const operator = fields.word('operator', operators) ?? fields.word('operation', operators)
  if (!fields.has('operator') && !fields.has('operation')) fields.error('operator', 'is required')
  const values = fields.texts('values') ?? []
  const wantsValues = operator === 'In' || operator === 'NotIn'
  if (wantsValues && values.length === 0) fields.error('values', `must not be empty with ${operator}`)
  if (operator !== undefined && !wantsValues && values.length > 0)
    fields.error('values', `must be left out with ${operator}`)
  checkLabel(fields, 'values', key, values)
  fields.end()
  return { key, operator: operator ?? 'Exists', ...(wantsValues ? { values } : {}) }
}

/** The server would refuse the whole list without telling which hook asked for it. */
function checkLabel(fields: Fields, field: string, key: string, values: readonly string[]): void {
  if (key !== '' && !isLabelKey(key)) fields.error(field, `${shown(key)} is not the name of a label`)
  for (const value of values)
    if (!isLabelValue(value)) fields.error(field, `${shown(value)} is not the value of a label`)
}

const equals = ['=', '==', 'Equals'] as const
const differs = ['!=', 'NotEquals'] as const

/** Joined by "and". */
export function readFieldSelector(fields: Fields): string {
  const parts = fields.objects('matchExpressions').map((expression) => {
    const field = expression.required('field')
    const operator = expression.word('operator', [...equals, ...differs])
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
