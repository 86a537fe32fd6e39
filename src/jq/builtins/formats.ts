/**
 * `@text`, `@json`, `@csv` and the other formats: convert a value to a string.
 */
import type { Json } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import { print } from '../json/print.ts'
import type { Meter } from '../limits.ts'
import { describe } from '../values/describe.ts'
import { isArray, kindOf } from '../values/kind.ts'
import { decodeBase32, decodeBase64, encodeBase32, encodeBase64 } from './base64.ts'
import { decodeUtf8 } from './utf8.ts'

export function toText(value: Json, meter: Meter): string {
  return typeof value === 'string' ? value : toJson(value, meter)
}

export function toJson(value: Json, meter: Meter): string {
  return print(value, { spend: (steps) => meter.spend(steps) })
}

const htmlEntities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&apos;',
  '"': '&quot;',
}
const tsvEscapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

export function formatText(name: string, value: Json, meter: Meter): string {
  switch (name) {
    case 'text':
      return toText(value, meter)
    case 'json':
      return toJson(value, meter)
    case 'csv':
      return row(value, 'csv', meter, (text) => `"${text.replaceAll('"', '""')}"`).join(',')
    case 'tsv':
      return row(value, 'tsv', meter, (text) => text.replace(/[\t\n\r\\]/g, (c) => tsvEscapes[c] ?? c)).join('\t')
    case 'html':
      return toText(value, meter).replace(/[<>&'"]/g, (c) => htmlEntities[c] ?? c)
    case 'uri':
      return encodeUri(toText(value, meter))
    case 'urid':
      return decodeUri(toText(value, meter))
    case 'sh':
      return (isArray(value) ? value : [value]).map((item) => shellWord(item, meter)).join(' ')
    case 'base64':
      return encodeBase64(new TextEncoder().encode(toText(value, meter)))
    case 'base64d':
      return decodeUtf8(decodeBase64(toText(value, meter)))
    case 'base32':
      return encodeBase32(new TextEncoder().encode(toText(value, meter)))
    case 'base32d':
      return decodeUtf8(decodeBase32(toText(value, meter)))
    default:
      throw runtimeError(`${name} is not a valid format`)
  }
}

function row(value: Json, format: string, meter: Meter, quote: (text: string) => string): string[] {
  if (!isArray(value)) throw runtimeError(`${describe(value)} cannot be ${format}-formatted, only array`)
  return value.map((item) => {
    switch (kindOf(item)) {
      case 'null':
        return ''
      case 'boolean':
        return String(item)
      case 'number':
        return Number.isNaN(item) ? '' : toJson(item, meter)
      case 'string':
        return quote(item as string)
      default:
        throw runtimeError(`${describe(item)} is not valid in a csv row`)
    }
  })
}

function shellWord(value: Json, meter: Meter): string {
  const kind = kindOf(value)
  if (kind === 'array' || kind === 'object') throw runtimeError(`${describe(value)} can not be escaped for shell`)
  return typeof value === 'string' ? `'${value.replaceAll("'", "'\\''")}'` : toJson(value, meter)
}

function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw runtimeError(`${describe(text)} is not a valid uri encoding`)
  }
}
