/** Validation of roles and bindings. */
import { append, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { Strategy } from '../resource.ts'
import { validateDnsSubdomain, validatePathSegment } from '../selectors/names.ts'
import { immutable } from './common.ts'
import { validateSelector } from './selectors.ts'

type Validator = Strategy['validate']

const group = 'rbac.authorization.k8s.io'

function size(rule: JsonObject, field: string): number {
  const value = rule[field]
  return Array.isArray(value) ? value.length : 0
}

function ruleErrors(rule: JsonObject, field: string, isNamespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  if (size(rule, 'verbs') === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'))
  if (size(rule, 'nonResourceURLs') > 0) {
    const urls = rule['nonResourceURLs'] ?? []
    if (isNamespaced) {
      errors.push(invalid(`${field}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'))
    }
    const mixed = ['apiGroups', 'resources', 'resourceNames'].some((name) => size(rule, name) > 0)
    if (mixed) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs'
      errors.push(invalid(`${field}.nonResourceURLs`, urls, detail))
    }
    return errors
  }
  if (size(rule, 'apiGroups') === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (size(rule, 'resources') === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'))
  }
  return errors
}

const validateRole: Validator = (object) =>
  listAt(object, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, true))

const validateClusterRole: Validator = (object) => [
  ...listAt(object, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, false)),
  ...aggregationErrors(object),
]

function aggregationErrors(object: JsonObject): readonly FieldError[] {
  if (object['aggregationRule'] === undefined) return []
  const selectors = listAt(objectAt(object, 'aggregationRule'), 'clusterRoleSelectors')
  const field = 'aggregationRule.clusterRoleSelectors'
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  }
  return selectors.flatMap((selector, index) => validateSelector(selector, `${field}[${index}]`))
}

function subjectErrors(subject: JsonObject, field: string, isNamespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  if (!subject['name']) errors.push(required(`${field}.name`))
  const apiGroup = String(subject['apiGroup'] ?? '')
  switch (subject['kind']) {
    case 'ServiceAccount':
      if (subject['name']) {
        const faults = validateDnsSubdomain(String(subject['name']))
        append(
          errors,
          faults.map((fault) => invalid(`${field}.name`, subject['name'] ?? '', fault)),
        )
      }
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']))
      if (!isNamespaced && !subject['namespace']) errors.push(required(`${field}.namespace`))
      break
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]))
      break
    default:
      errors.push(notSupported(`${field}.kind`, subject['kind'] ?? '', ['ServiceAccount', 'User', 'Group']))
  }
  return errors
}

function bindingValidator(isNamespaced: boolean): Validator {
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return (object, old) => {
    const ref = objectAt(object, 'roleRef')
    const errors: FieldError[] = []
    if (ref['apiGroup'] !== group) errors.push(notSupported('roleRef.apiGroup', ref['apiGroup'] ?? '', [group]))
    if (!kinds.includes(String(ref['kind']))) errors.push(notSupported('roleRef.kind', ref['kind'] ?? '', kinds))
    const name = String(ref['name'] ?? '')
    if (name === '') errors.push(required('roleRef.name'))
    else
      append(
        errors,
        validatePathSegment(name).map((fault) => invalid('roleRef.name', name, fault)),
      )
    for (const [index, subject] of listAt(object, 'subjects').entries()) {
      append(errors, subjectErrors(subject, `subjects[${index}]`, isNamespaced))
    }
    if (old === undefined) return errors
    const changed = immutable(object['roleRef'], old['roleRef'], 'roleRef')
    return [
      ...errors,
      ...changed.map((error) => ({
        ...error,
        message: error.message.replace('field is immutable', 'cannot change roleRef'),
      })),
    ]
  }
}

export const rbacValidators: Readonly<Record<string, Validator>> = {
  [`${group}/Role`]: validateRole,
  [`${group}/ClusterRole`]: validateClusterRole,
  [`${group}/RoleBinding`]: bindingValidator(true),
  [`${group}/ClusterRoleBinding`]: bindingValidator(false),
}
