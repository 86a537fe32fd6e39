/** Validates scalar values: strings, numbers, enumerations; and unique list items. */
import type { Json } from '../runtime/index.ts'
import type { Findings } from './findings.ts'
import type { SchemaNode } from './node.ts'
import { goNumber, isInt64, stableText } from './text.ts'

/** Checks length, pattern and format in this order; a failed length or pattern ends the checks. */
export function checkString(node: SchemaNode, value: string, found: Findings): void {
  const { schema, pattern, formatCheck } = node
  if (schema.maxLength !== undefined && longerThan(value, schema.maxLength)) {
    found.addTooLong(schema.maxLength)
  } else if (schema.minLength !== undefined && !longerThan(value, schema.minLength - 1)) {
    found.add('minLength', `should be at least ${schema.minLength} chars long`, value)
  } else if (pattern !== undefined && !pattern.test(value)) {
    found.add('pattern', `should match '${pattern.source}'`, value)
  }
  if (formatCheck !== undefined && !formatCheck(value)) {
    found.add('format', `must be of type ${node.format}: ${JSON.stringify(value)}`, value, 'FieldValueTypeInvalid')
  }
}

/** Counts characters, not UTF-16 units; most strings need no counting. */
function longerThan(value: string, limit: number): boolean {
  if (value.length <= limit) return false
  if (value.length > limit * 2) return true
  let count = 0
  for (const _ of value) count += 1
  return count > limit
}

export function checkNumber(node: SchemaNode, value: number, found: Findings): void {
  const { schema } = node
  if (!fitsFormat(schema.type, node.format, value)) {
    const format = node.format === undefined ? '(default format)' : `with format ${node.format}`
    found.addGeneral('format', `Checked value must be of type ${schema.type ?? ''} ${format} in ${found.name}`)
  }
  if (schema.multipleOf !== undefined && !isMultiple(value, schema.multipleOf)) {
    found.add('multipleOf', `should be a multiple of ${goNumber(schema.multipleOf)}`, value)
  }
  if (schema.minimum !== undefined) {
    const open = schema.exclusiveMinimum === true
    const limit = limitFor(value, schema.minimum)
    if (open ? value <= limit : value < limit) {
      found.add('minimum', `should be greater than ${open ? '' : 'or equal to '}${goNumber(limit)}`, value)
    }
  }
  if (schema.maximum !== undefined) {
    const open = schema.exclusiveMaximum === true
    const limit = limitFor(value, schema.maximum)
    if (open ? value >= limit : value > limit) {
      found.add('maximum', `should be less than ${open ? '' : 'or equal to '}${goNumber(limit)}`, value)
    }
  }
}

/** The API server truncates the limit for integers: a limit of 1.5 counts as 1. */
function limitFor(value: number, limit: number): number {
  return isInt64(value) ? Math.trunc(limit) : limit
}

function fitsFormat(type: string | undefined, format: string | undefined, value: number): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(value) <= 3.4028234663852886e38
  if (type !== 'integer') return true
  if (!Number.isInteger(value)) return false
  return format === 'int32' ? value >= -2_147_483_648 && value <= 2_147_483_647 : value >= -(2 ** 63) && value < 2 ** 63
}

function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return false
  if (Number.isInteger(factor) && isInt64(value)) return value % factor === 0
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  if (Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient))
}

export function checkEnum(node: SchemaNode, value: Json, found: Findings): void {
  const allowed = node.schema.enum ?? []
  if (allowed.length === 0 || node.enumScalars.has(value)) return
  // The API server truncates a fraction before it compares it with an integer.
  if (typeof value === 'number' && node.enumScalars.has(Math.trunc(value))) return
  if (typeof value === 'object' && value !== null) {
    const text = stableText(value)
    if (allowed.some((entry) => stableText(entry) === text)) return
  }
  found.addEnum(value, allowed)
}

export function hasDuplicates(list: readonly Json[]): boolean {
  return new Set(list.map(stableText)).size !== list.length
}
