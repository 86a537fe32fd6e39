/** Validation of CustomResourceDefinitions: names, versions, schemas, columns, subresources, conversion. */
import { equal } from '../../../patch/index.ts'
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import { isTrue } from '../crd/conditions.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type FieldError, forbiddenValue, invalid, notSupported, required } from '../field-error.ts'
import { type ApiObject, at } from '../object.ts'
import { validateDns1035Label, validateDnsSubdomain } from '../selectors/names.ts'
import { schemaErrors } from './definition-schemas.ts'

export function validateDefinition(object: ApiObject, old: ApiObject | undefined): readonly FieldError[] {
  const spec = objectAt(object, 'spec')
  const versions = listAt(spec, 'versions')
  const errors: FieldError[] = []
  const wanted = `${text(at(spec, 'names', 'plural'))}.${text(spec['group'])}`
  if (old === undefined && object.metadata.name !== wanted) {
    errors.push(invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'))
  }
  append(errors, groupErrors(spec), scopeErrors(spec), versionErrors(versions))
  append(errors, nameErrors(objectAt(spec, 'names')))
  append(errors, partErrors(versions), conversionErrors(objectAt(spec, 'conversion')))
  append(errors, storedErrors(object, versions))
  if (spec['preserveUnknownFields'] === true) {
    errors.push(
      invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    )
  }
  append(errors, approvalErrors(object))
  if (old !== undefined) append(errors, immutableErrors(object, old))
  return errors
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function groupErrors(spec: JsonObject): readonly FieldError[] {
  const group = text(spec['group'])
  if (group === '') return [required('spec.group')]
  const faults = validateDnsSubdomain(group)
  if (faults.length > 0) return [invalid('spec.group', group, faults.join(','))]
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

function scopeErrors(spec: JsonObject): readonly FieldError[] {
  const scope = text(spec['scope'])
  if (scope === '') return [required('spec.scope')]
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])]
}

function versionErrors(versions: readonly JsonObject[]): readonly FieldError[] {
  const errors: FieldError[] = []
  versions.forEach((version, index) => {
    const faults = validateDns1035Label(text(version['name']))
    if (faults.length > 0) errors.push(invalid(`spec.versions[${index}].name`, text(version['name']), faults.join(',')))
    if (!isJsonObject(objectAt(version, 'schema')['openAPIV3Schema'])) {
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`))
    }
  })
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'))
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'))
  }
  return errors
}

function nameErrors(names: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const field of ['plural', 'singular']) {
    const name = text(names[field])
    const faults = validateDns1035Label(name)
    if (name === '') errors.push(required(`spec.names.${field}`))
    else if (faults.length > 0) errors.push(invalid(`spec.names.${field}`, name, faults.join(',')))
  }
  for (const field of ['kind', 'listKind']) {
    const name = text(names[field])
    const faults = validateDns1035Label(name.toLowerCase())
    if (name === '') errors.push(required(`spec.names.${field}`))
    else if (faults.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`
      errors.push(invalid(`spec.names.${field}`, name, detail))
    }
  }
  for (const field of ['shortNames', 'categories']) {
    const list = Array.isArray(names[field]) ? (names[field] as readonly Json[]) : []
    list.forEach((name, index) => {
      const faults = validateDns1035Label(text(name))
      if (faults.length > 0) errors.push(invalid(`spec.names.${field}[${index}]`, name, faults.join(',')))
    })
  }
  if (names['kind'] === names['listKind'] && text(names['kind']) !== '') {
    errors.push(invalid('spec.names.listKind', text(names['listKind']), 'kind and listKind may not be the same'))
  }
  return errors
}

/** Parts that are equal in all versions are reported once, under the field name of apiextensions v1beta1. */
function partErrors(versions: readonly JsonObject[]): readonly FieldError[] {
  const errors: FieldError[] = []
  const places: readonly [string, string, (part: Json | undefined, place: string) => readonly FieldError[]][] = [
    ['schema', 'spec.validation', versionSchemaErrors],
    ['subresources', 'spec.subresources', scaleErrors],
    ['additionalPrinterColumns', 'spec.additionalPrinterColumns', columnErrors],
  ]
  for (const [field, shared, check] of places) {
    const [first] = versions
    const isShared = versions.every((version) => equal(version[field] ?? null, first?.[field] ?? null))
    if (isShared) append(errors, check(first?.[field], shared))
    else {
      for (const [index, version] of versions.entries()) {
        append(errors, check(version[field], `spec.versions[${index}].${field}`))
      }
    }
  }
  return errors
}

function versionSchemaErrors(part: Json | undefined, place: string): readonly FieldError[] {
  const schema = isJsonObject(part) ? part['openAPIV3Schema'] : undefined
  return isJsonObject(schema) ? schemaErrors(schema as Schema, `${place}.openAPIV3Schema`) : []
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  if (path === '') return [invalid(field, path, 'must not be empty')]
  if (!path.startsWith('.')) return [invalid(field, path, 'must be a simple json path starting with .')]
  return path.includes('[') ? [invalid(field, path, 'must be a json path in the dot notation')] : []
}

function scaleErrors(part: Json | undefined, place: string): readonly FieldError[] {
  const scale = isJsonObject(part) ? part['scale'] : undefined
  if (!isJsonObject(scale)) return []
  const check = (name: string, roots: readonly string[], where: string): readonly FieldError[] => {
    const path = text(scale[name])
    const field = `${place}.scale.${name}`
    if (path === '') return [required(field)]
    const faults = pathErrors(path, field)
    if (faults.length > 0) return faults
    return roots.some((root) => path.startsWith(root))
      ? []
      : [invalid(field, path, `should be a json path under ${where}`)]
  }
  return [
    ...check('specReplicasPath', ['.spec.'], '.spec'),
    ...check('statusReplicasPath', ['.status.'], '.status'),
    ...(scale['labelSelectorPath']
      ? check('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status')
      : []),
  ]
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

function columnErrors(part: Json | undefined, place: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const columns = Array.isArray(part) ? (part as readonly Json[]).filter(isJsonObject) : []
  columns.forEach((column, index) => {
    const field = `${place}[${index}]`
    const type = text(column['type'])
    if (text(column['name']) === '') errors.push(required(`${field}.name`))
    if (type === '') errors.push(required(`${field}.type`, `must be one of ${columnTypes.join(',')}`))
    else if (!columnTypes.includes(type)) {
      errors.push(invalid(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`))
    }
    const path = text(column['jsonPath'])
    if (path === '') errors.push(required(`${field}.JSONPath`))
    else if (!path.startsWith('.')) {
      errors.push(invalid(`${field}.JSONPath`, path, 'must be a simple json path starting with .'))
    }
  })
  return errors
}

function conversionErrors(conversion: JsonObject): readonly FieldError[] {
  const strategy = text(conversion['strategy'])
  const webhook = objectAt(conversion, 'webhook')
  const config = objectAt(webhook, 'clientConfig')
  const field = 'spec.conversion'
  if (strategy === '') return [required(`${field}.strategy`)]
  if (strategy !== 'None' && strategy !== 'Webhook') {
    return [notSupported(`${field}.strategy`, strategy, ['None', 'Webhook'])]
  }
  const errors: FieldError[] = []
  if (strategy === 'None') {
    const detail = 'should not be set when strategy is not set to Webhook'
    if (Object.keys(config).length > 0) errors.push(forbiddenValue(`${field}.webhookClientConfig`, detail))
    return errors
  }
  if (Object.keys(config).length === 0) {
    errors.push(required(`${field}.webhookClientConfig`, 'required when strategy is set to Webhook'))
  } else if ((config['url'] === undefined) === (config['service'] === undefined)) {
    errors.push(required(`${field}.webhookClientConfig`, 'exactly one of url or service is required'))
  }
  const reviews = webhook['conversionReviewVersions']
  if (!Array.isArray(reviews) || reviews.length === 0) errors.push(required(`${field}.conversionReviewVersions`))
  return errors
}

function storedErrors(object: ApiObject, versions: readonly JsonObject[]): readonly FieldError[] {
  const stored = at(object, 'status', 'storedVersions')
  const names = Array.isArray(stored) ? (stored as readonly Json[]) : []
  if (names.length === 0)
    return [invalid('status.storedVersions', stored ?? null, 'must have at least one stored version')]
  return names.flatMap((name, index) =>
    versions.some((version) => version['name'] === name)
      ? []
      : [
          invalid(
            `status.storedVersions[${index}]`,
            name,
            `missing from spec.versions; ${String(name)} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${String(name)} and removes ${String(name)} from status.storedVersions`,
          ),
        ],
  )
}

const approval = 'api-approved.kubernetes.io'

function approvalErrors(object: ApiObject): readonly FieldError[] {
  const group = text(at(object, 'spec', 'group'))
  const isProtected = ['k8s.io', 'kubernetes.io'].some((name) => group === name || group.endsWith(`.${name}`))
  if (!isProtected || object.metadata.annotations?.[approval] !== undefined) return []
  return [
    required(
      `metadata.annotations[${approval}]`,
      `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`,
    ),
  ]
}

function immutableErrors(object: ApiObject, old: ApiObject): readonly FieldError[] {
  const established = isTrue(old, 'Established')
    ? [
        ['spec', 'scope'],
        ['spec', 'names', 'kind'],
      ]
    : []
  return [...established, ['spec', 'group'], ['spec', 'names', 'plural']].flatMap((path) => {
    const value = at(object, ...path) ?? null
    return equal(value, at(old, ...path) ?? null) ? [] : [invalid(path.join('.'), value, 'field is immutable')]
  })
}
