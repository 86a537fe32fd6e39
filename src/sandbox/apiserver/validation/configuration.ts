/** Validation of ConfigMaps and Secrets: keys, sizes, immutable fields. */
import { equal } from '../../../patch/index.ts'
import { append, type Json, type JsonObject } from '../../../runtime/index.ts'
import { objectAt } from '../defaults/fill.ts'
import { type FieldError, forbiddenValue, invalid, required, tooLong } from '../field-error.ts'
import type { ApiObject } from '../object.ts'
import type { Strategy } from '../resource.ts'
import { immutable } from './common.ts'

type Validator = Strategy['validate']

const keyFault =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const maxDataBytes = 1024 * 1024

function keyErrors(map: JsonObject, field: string): readonly FieldError[] {
  return Object.keys(map).flatMap((key) => {
    const place = `${field}[${key}]`
    if (key.length > 253) return [invalid(place, key, 'must be no more than 253 characters')]
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [invalid(place, key, keyFault)]
    if (key === '.' || key === '..') return [invalid(place, key, `must not be '${key}'`)]
    return key.startsWith('..') ? [invalid(place, key, "must not start with '..'")] : []
  })
}

function bytes(value: Json | undefined, isBase64: boolean): number {
  const text = typeof value === 'string' ? value : ''
  if (!isBase64) return new TextEncoder().encode(text).length
  return Math.floor((text.replaceAll('=', '').length * 3) / 4)
}

function total(map: JsonObject, isBase64: boolean): number {
  return Object.values(map).reduce<number>((sum, value) => sum + bytes(value, isBase64), 0)
}

function lockedErrors(
  object: ApiObject,
  old: ApiObject | undefined,
  ...fields: readonly string[]
): readonly FieldError[] {
  if (old?.['immutable'] !== true) return []
  const errors: FieldError[] = []
  if (object['immutable'] !== true)
    errors.push(forbiddenValue('immutable', 'field is immutable when `immutable` is set'))
  for (const field of fields) {
    if (!equal(object[field] ?? null, old[field] ?? null)) {
      errors.push(forbiddenValue(field, 'field is immutable when `immutable` is set'))
    }
  }
  return errors
}

export const validateConfigMap: Validator = (object, old) => {
  const data = objectAt(object, 'data')
  const binary = objectAt(object, 'binaryData')
  const errors: FieldError[] = [...lockedErrors(object, old, 'data', 'binaryData')]
  for (const key of Object.keys(data)) {
    if (key in binary) errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
  }
  append(errors, keyErrors(data, 'data'), keyErrors(binary, 'binaryData'))
  if (total(data, false) + total(binary, true) > maxDataBytes) errors.push(tooLong('', maxDataBytes))
  return errors
}

/** Keys required by a Secret type. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

export const validateSecret: Validator = (object, old) => {
  const data = objectAt(object, 'data')
  const type = String(object['type'] ?? '')
  const errors: FieldError[] = [...keyErrors(data, 'data')]
  if (total(data, true) > maxDataBytes) errors.push(tooLong('data', maxDataBytes))
  for (const key of neededKeys[type] ?? []) if (data[key] === undefined) errors.push(required(`data[${key}]`))
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    errors.push(required('data[username]'), required('data[password]'))
  }
  if (type === 'kubernetes.io/service-account-token') {
    const account = 'kubernetes.io/service-account.name'
    if (!object.metadata.annotations?.[account]) errors.push(required(`metadata.annotations[${account}]`))
  }
  if (old === undefined) return errors
  return [...immutable(object['type'], old['type'], 'type'), ...lockedErrors(object, old, 'data'), ...errors]
}
