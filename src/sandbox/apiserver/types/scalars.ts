/** Decodes scalars of request bodies: checks the type and canonicalizes the value as the real API server does. */
import type { Json } from '../../../runtime/index.ts'
import type { TypeReference } from './notation.ts'
import { canonicalQuantity, quantityFault } from './quantity.ts'
import { canonicalTime, timeFault } from './times.ts'

/** A value of the wrong type; the message is the one of Go's decoder. */
export class DecodeFault extends Error {}

type Scalar = Extract<TypeReference, { is: 'scalar' }>

interface Place {
  readonly place: string
  readonly owner: string
}

export function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

const intLimits: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

export function decodeScalar(value: Json, { type, format }: Scalar, place: Place): Json {
  switch (type) {
    case 'string':
      return decodeText(value, format, place)
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(value, 'bool', place)
      return value
    case 'integer':
      return decodeInteger(value, format === '' ? 'int64' : format, place)
    case 'number':
      if (typeof value !== 'number') throw mismatch(value, 'float64', place)
      return value
    case 'int-or-string':
      return typeof value === 'string' ? value : decodeInteger(value, 'int32', place)
    default:
      return decodeQuantity(value)
  }
}

function mismatch(value: Json, goType: string, { owner, place }: Place): DecodeFault {
  return new DecodeFault(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${owner}.${place} of type ${goType}`,
  )
}

function decodeInteger(value: Json, goType: string, { owner, place }: Place): number {
  if (typeof value !== 'number') throw mismatch(value, goType, { owner, place })
  const limit = intLimits[goType] ?? Number.POSITIVE_INFINITY
  if (!Number.isInteger(value) || value >= limit || value < -limit) {
    throw new DecodeFault(
      `json: cannot unmarshal number ${value} into Go struct field ${owner}.${place} of type ${goType}`,
    )
  }
  return value
}

function decodeText(value: Json, format: string, place: Place): string {
  if (typeof value !== 'string') throw mismatch(value, format === 'byte' ? '[]uint8' : 'string', place)
  if (format === 'byte') return decodeBase64(value)
  if (format !== 'date-time' && format !== 'date-time-micro') return value
  const precision = format === 'date-time' ? 'seconds' : 'micros'
  const time = canonicalTime(value, precision)
  if (time === undefined) throw new DecodeFault(timeFault(value, precision))
  return time
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function decodeBase64(value: string): string {
  const text = value.replaceAll(/[\r\n]/g, '')
  if (base64.test(text)) return text
  const bad = text.search(/[^A-Za-z0-9+/]/)
  throw new DecodeFault(`illegal base64 data at input byte ${bad === -1 ? text.length - (text.length % 4) : bad}`)
}

function decodeQuantity(value: Json): string {
  const text = typeof value === 'number' ? String(value) : value
  const quantity = typeof text === 'string' ? canonicalQuantity(text.trim()) : undefined
  if (quantity === undefined) throw new DecodeFault(quantityFault)
  return quantity
}
