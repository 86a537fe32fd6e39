/** Validates embedded objects (`x-kubernetes-embedded-resource`): they need apiVersion, kind and metadata. */
import { isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import type { Finding, Visit } from './findings.ts'
import type { SchemaNode } from './node.ts'
import { fieldPath, joinPaths } from './paths.ts'

export function checkEmbedded(visit: Visit, root: SchemaNode, base: string): readonly Finding[] {
  const object = visit.value as JsonObject
  const findings: Finding[] = []
  const field = (name: string): string => joinPaths(base, fieldPath([...visit.path, name], root))
  const invalid = (name: string, badValue: Json, detail: string): void => {
    findings.push({ type: 'FieldValueInvalid', field: field(name), badValue, detail, rule: 'embedded', at: visit.path })
  }
  for (const name of ['apiVersion', 'kind']) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    if (value === undefined) {
      findings.push({
        type: 'FieldValueRequired',
        field: field(name),
        badValue: '',
        detail: '',
        rule: 'embedded',
        at: visit.path,
      })
    } else if (typeof value !== 'string') invalid(name, value, 'must be a string')
    else if (value === '') invalid(name, value, 'must not be empty')
    else if (name === 'apiVersion' && value.split('/').length > 2) {
      invalid(name, value, `unexpected GroupVersion string: ${value}`)
    } else if (name === 'kind' && !/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(value.toLowerCase())) {
      invalid(
        name,
        value,
        "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      )
    }
  }
  const metadata = Object.hasOwn(object, 'metadata') ? object['metadata'] : undefined
  if (metadata !== undefined && !isJsonObject(metadata)) invalid('metadata', metadata, 'must be an object')
  return findings
}
