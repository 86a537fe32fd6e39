/** Checks shared by many kinds: numbers, names, labels, percentages, immutable fields. */
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { validateDnsLabel, validateLabelKey, validateLabelValue } from '../selectors/names.ts'

export function nonNegative(value: Json | undefined, field: string): readonly FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
}

/** Checks several numbers of one object. */
export function nonNegatives(object: JsonObject, place: string, ...names: readonly string[]): readonly FieldError[] {
  return names.flatMap((name) => nonNegative(object[name], `${place}.${name}`))
}

export function dnsLabel(value: Json | undefined, field: string): readonly FieldError[] {
  const name = typeof value === 'string' ? value : ''
  return validateDnsLabel(name).map((fault) => invalid(field, name, fault))
}

export function labels(value: Json | undefined, field: string): readonly FieldError[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, text]) => [
    ...validateLabelKey(key).map((fault) => invalid(field, key, fault)),
    ...validateLabelValue(String(text)).map((fault) => invalid(field, text, fault)),
  ])
}

export function immutable(value: Json | undefined, old: Json | undefined, field: string): readonly FieldError[] {
  return equal(value ?? null, old ?? null) ? [] : [invalid(field, value ?? null, 'field is immutable')]
}

export function portNumber(value: number, field: string): readonly FieldError[] {
  return value >= 1 && value <= 65_535 ? [] : [invalid(field, value, 'must be between 1 and 65535, inclusive')]
}

/** A port number or the name of a container port. */
export function portNumberOrName(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value === 'number') return portNumber(value, field)
  return portName(typeof value === 'string' ? value : '').map((fault) => invalid(field, value ?? '', fault))
}

export function portName(name: string): readonly string[] {
  const faults: string[] = []
  if (name.length > 15) faults.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]*$/.test(name)) {
    faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) faults.push('must contain at least one letter (a-z)')
  if (name.includes('--')) faults.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) faults.push('must not begin or end with a hyphen')
  return faults
}

const percent = /^[0-9]+%$/

/** Values such as `maxUnavailable`: a number or a percentage. */
export function intOrPercent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value === 'number') return nonNegative(value, field)
  if (typeof value !== 'string' || percent.test(value)) return []
  return [
    invalid(
      field,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
  ]
}

export function percentOf(value: Json | undefined): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && percent.test(value) ? Number(value.slice(0, -1)) : 0
}

export function notAbove100Percent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== 'string' || !percent.test(value) || percentOf(value) <= 100) return []
  return [invalid(field, value, 'must not be greater than 100%')]
}
