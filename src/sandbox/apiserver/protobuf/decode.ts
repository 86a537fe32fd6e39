/**
 * Decodes Kubernetes protobuf requests, which kubectl and helm send for built-in kinds, to JSON. Responses are always
 * JSON, which these clients accept.
 */
import { type Json, type JsonObject, toBase64 } from '../../../runtime/index.ts'
import { type Message, type MessageField, messageOf, messageOfKind } from './messages.ts'
import { fieldsOf, type WireField } from './wire.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

const text = new TextDecoder('utf-8', { fatal: true })
/** `k8s` and a zero byte precede every object. */
const magic = [0x6b, 0x38, 0x73, 0x00]

/** Throws an Error that describes the invalid bytes. */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!magic.every((byte, index) => body[index] === byte)) throw new Error('the prefix k8s\\x00 is missing')
  const envelope = new Map([...fieldsOf(body.subarray(magic.length))].map((field) => [field.number, field.bytes]))
  const [apiVersion = '', kind = ''] = typeMetaOf(envelope.get(1) ?? new Uint8Array())
  const message = messageOfKind(apiVersion, kind)
  if (message === undefined) throw new Error(`${apiVersion} ${kind} has no binary form here`)
  return { kind, apiVersion, ...objectOf(message, envelope.get(2) ?? new Uint8Array()) }
}

function typeMetaOf(bytes: Uint8Array): [string | undefined, string | undefined] {
  const fields = new Map([...fieldsOf(bytes)].map((field) => [field.number, text.decode(field.bytes)]))
  return [fields.get(1), fields.get(2)]
}

type Draft = { [key: string]: Json }

function objectOf(message: Message, bytes: Uint8Array): Draft {
  const draft: Draft = {}
  for (const field of fieldsOf(bytes)) {
    const known = message.get(field.number)
    if (known !== undefined) put(draft, known, field)
  }
  return draft
}

function put(draft: Draft, { name, type, keepsZero }: MessageField, field: WireField): void {
  if (type.startsWith('{}')) {
    const map = (draft[name] ?? {}) as Draft
    draft[name] = map
    const [key, value] = entryOf(type.slice(2), field.bytes)
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  if (type.startsWith('[]')) {
    const before = (draft[name] ?? []) as readonly Json[]
    draft[name] = [...before, decodeValue(type.slice(2), field) ?? null]
    return
  }
  const value = decodeValue(type, field)
  if (name === '-') Object.assign(draft, value)
  else if (value !== undefined && (keepsZero || !isZero(value))) draft[name] = value
}

function entryOf(type: string, bytes: Uint8Array): [string, Json] {
  let key = ''
  let value: Json = emptyOf(type)
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) key = text.decode(field.bytes)
    else value = decodeValue(type, field) ?? null
  }
  return [key, value]
}

function emptyOf(type: string): Json {
  if (type.startsWith('list:')) return []
  return type === 'string' || type === 'bytes' ? '' : type.includes('/') ? {} : null
}

function isZero(value: Json): boolean {
  return value === '' || value === 0 || value === false
}

/** Undefined for a time that is not set. */
function decodeValue(type: string, { value, bytes }: WireField): Json | undefined {
  switch (type) {
    case 'string':
      return text.decode(bytes)
    case 'bool':
      return value !== 0n
    case 'int':
      return Number(BigInt.asIntN(64, value))
    case 'double':
      return new Float64Array(BigUint64Array.of(value).buffer)[0] ?? 0
    case 'bytes':
      return toBase64(bytes)
    case 'raw':
    case 'fields':
      return embedded(bytes)
    case 'quantity':
      return text.decode(firstField(bytes, 1)?.bytes ?? bytes)
    case 'time':
    case 'microtime':
      return timeOf(type, bytes)
    case 'duration':
      return `${Number(BigInt.asIntN(64, firstField(bytes, 1)?.value ?? 0n)) / 1e9}s`
    case 'intstr':
      return intOrString(bytes)
  }
  if (type.startsWith('list:')) {
    return [...fieldsOf(bytes)].map((item) => decodeValue(type.slice('list:'.length), item) ?? null)
  }
  const message = messageOf(type)
  return message === undefined ? {} : objectOf(message, bytes)
}

function firstField(bytes: Uint8Array, number: number): WireField | undefined {
  return [...fieldsOf(bytes)].find((field) => field.number === number)
}

function embedded(bytes: Uint8Array): Json {
  const raw = firstField(bytes, 1)?.bytes
  return raw === undefined || raw.length === 0 ? null : (JSON.parse(text.decode(raw)) as Json)
}

function timeOf(type: 'time' | 'microtime', bytes: Uint8Array): string | undefined {
  const seconds = firstField(bytes, 1)?.value
  if (seconds === undefined) return undefined
  const nanoseconds = Number(firstField(bytes, 2)?.value ?? 0n)
  const whole = new Date(Number(BigInt.asIntN(64, seconds)) * 1000).toISOString().slice(0, -'.000Z'.length)
  return type === 'time' ? `${whole}Z` : `${whole}.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}Z`
}

function intOrString(bytes: Uint8Array): Json {
  const isText = (firstField(bytes, 1)?.value ?? 0n) === 1n
  if (isText) return text.decode(firstField(bytes, 3)?.bytes ?? new Uint8Array())
  return Number(BigInt.asIntN(64, firstField(bytes, 2)?.value ?? 0n))
}
