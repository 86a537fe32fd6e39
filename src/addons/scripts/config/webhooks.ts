/** Reads admission and conversion bindings. */
import type { Fields } from './fields.ts'
import { shown } from './findings.ts'
import { readLabelSelector } from './selectors.ts'
import type { AdmissionBinding, AdmissionRule, ConversionBinding } from './types.ts'

export function readAdmissionBinding(fields: Fields): AdmissionBinding {
  const name = fields.required('name')
  // The API server refuses other names, together with every other webhook of the same configuration object.
  if (name !== '' && name.split('.').filter((part) => part !== '').length < 3)
    fields.error('name', `${shown(name)} must have at least three parts separated by dots, like quota.example.com`)
  const rules = fields.objects('rules', 'required').map(readRule)
  const failurePolicy = fields.choice('failurePolicy', ['Fail', 'Ignore'])
  const objectSelector = fields.object('labelSelector')
  const namespace = fields.object('namespace')
  const namespaceSelector = namespace?.object('labelSelector')
  const group = fields.nonEmpty('group')
  const timeoutSeconds = fields.integer('timeoutSeconds') ?? 10
  if (timeoutSeconds < 1 || timeoutSeconds > 30)
    fields.error('timeoutSeconds', `must be from 1 to 30, not ${timeoutSeconds}`)
  const binding: AdmissionBinding = {
    name,
    rules,
    sideEffects: fields.choice('sideEffects', ['None', 'NoneOnDryRun']) ?? 'None',
    timeoutSeconds,
    matchConditions: fields.objects('matchConditions', 'any').map(readCondition),
    includeSnapshotsFrom: fields.texts('includeSnapshotsFrom') ?? [],
    ...(failurePolicy === undefined ? {} : { failurePolicy }),
    ...(objectSelector === undefined ? {} : { objectSelector: readLabelSelector(objectSelector) }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: readLabelSelector(namespaceSelector) }),
    ...(group === undefined ? {} : { group }),
  }
  namespace?.end()
  fields.end()
  return binding
}

function readCondition(fields: Fields): { name: string; expression: string } {
  const condition = { name: fields.required('name'), expression: fields.required('expression') }
  fields.end()
  return condition
}

function readRule(fields: Fields): AdmissionRule {
  const list = (key: string): readonly string[] => {
    const given = fields.texts(key) ?? []
    if (given.length === 0) fields.error(key, 'must name at least one')
    return given
  }
  const scope = fields.choice('scope', ['Cluster', 'Namespaced', '*'])
  const rule = {
    apiGroups: list('apiGroups'),
    apiVersions: list('apiVersions'),
    operations: fields.choices('operations', ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*']) ?? [],
    resources: list('resources'),
    ...(scope === undefined ? {} : { scope }),
  }
  if (!fields.has('operations')) fields.error('operations', 'must name at least one')
  fields.end()
  return rule
}

export function readConversionBinding(fields: Fields): ConversionBinding {
  const group = fields.nonEmpty('group')
  const conversions = fields.objects('conversions', 'required').map((conversion) => {
    const step = { fromVersion: conversion.required('fromVersion'), toVersion: conversion.required('toVersion') }
    conversion.end()
    return step
  })
  const binding = {
    name: fields.nonEmpty('name') ?? 'kubernetesCustomResourceConversion',
    crdName: fields.required('crdName'),
    conversions,
    includeSnapshotsFrom: fields.texts('includeSnapshotsFrom') ?? [],
    ...(group === undefined ? {} : { group }),
  }
  fields.end()
  return binding
}
