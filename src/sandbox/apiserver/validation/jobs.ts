/** Validation of Jobs and CronJobs. */
import { equal } from '../../../patch/index.ts'
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { ApiObject } from '../object.ts'
import type { Strategy } from '../resource.ts'
import { immutable, nonNegatives } from './common.ts'
import { scheduleFault } from './cron.ts'
import { validateTemplate } from './pods.ts'
import { selects, validateSelector } from './selectors.ts'

type Validator = Strategy['validate']

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
]

function specErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [...nonNegatives(spec, place, ...counts)]
  const mode = spec['completionMode']
  const isIndexed = mode === 'Indexed'
  if (mode !== undefined && !isIndexed && mode !== 'NonIndexed') {
    errors.push(notSupported(`${place}.completionMode`, mode, ['Indexed', 'NonIndexed']))
  }
  if (isIndexed && spec['completions'] === undefined) {
    errors.push(required(`${place}.completions`, 'when completion mode is Indexed'))
  }
  for (const field of isIndexed ? [] : ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
    const value = spec[field]
    if (value !== undefined) errors.push(invalid(`${place}.${field}`, value, 'requires indexed completion mode'))
  }
  append(errors, validateTemplate(objectAt(spec, 'template'), `${place}.template`))
  return [...errors, ...restartErrors(spec, `${place}.template.spec.restartPolicy`)]
}

function restartErrors(spec: JsonObject, field: string): readonly FieldError[] {
  const policy = objectAt(objectAt(spec, 'template'), 'spec')['restartPolicy']
  if (policy === undefined || policy === '' || policy === 'Always') {
    return [required(field, 'valid values: "OnFailure", "Never"')]
  }
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(field, policy, ['Never', 'OnFailure'])]
  if (spec['podFailurePolicy'] === undefined || policy === 'Never') return []
  return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
}

const validateJob: Validator = (object, old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const errors: FieldError[] = [...generatedErrors(object), ...specErrors(spec, 'spec')]
  const selector = spec['selector']
  if (!isJsonObject(selector)) errors.push(required('spec.selector'))
  else {
    append(errors, validateSelector(selector, 'spec.selector'))
    const own = objectAt(objectAt(spec, 'template'), 'metadata')['labels'] ?? null
    if (!selects(selector, own)) {
      errors.push(invalid('spec.template.metadata.labels', own, '`selector` does not match template `labels`'))
    }
  }
  return old === undefined ? errors : [...errors, ...updateErrors(spec, objectAt(old, 'spec'))]
}

/** Generated labels may be set by the client, but only with the generated values. */
function generatedErrors(object: ApiObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec')
  if (spec['manualSelector'] === true) return []
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  const wanted: readonly (readonly [string, string])[] = [
    ['batch.kubernetes.io/controller-uid', object.metadata.uid ?? ''],
    ['batch.kubernetes.io/job-name', object.metadata.name],
  ]
  return wanted.flatMap(([key, value]) =>
    labels[key] === value ? [] : [invalid('spec.template.metadata.labels', labels, `must be '${value}'`)],
  )
}

function updateErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if (spec['completionMode'] !== 'Indexed') {
    append(errors, immutable(spec['completions'], old['completions'], 'spec.completions'))
  } else if (
    !equal(spec['completions'] ?? null, old['completions'] ?? null) &&
    spec['completions'] !== spec['parallelism']
  ) {
    const detail = 'can only be modified in tandem with spec.parallelism'
    errors.push(invalid('spec.completions', spec['completions'] ?? null, detail))
  }
  append(errors, immutable(spec['selector'], old['selector'], 'spec.selector'))
  append(errors, templateErrors(spec, old))
  for (const field of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']) {
    append(errors, immutable(spec[field], old[field], `spec.${field}`))
  }
  return errors
}

const schedulingFields = ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates']

/** For a suspended Job, scheduling fields and resources of the template are mutable; the rest is immutable. */
function templateErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const template = objectAt(spec, 'template')
  const before = objectAt(old, 'template')
  if (old['suspend'] !== true) return immutable(template, before, 'spec.template')
  const podSpec: Record<string, Json> = { ...objectAt(template, 'spec') }
  const oldSpec = objectAt(before, 'spec')
  for (const field of schedulingFields) {
    const value = oldSpec[field]
    if (value === undefined) delete podSpec[field]
    else podSpec[field] = value
  }
  for (const field of ['containers', 'initContainers']) {
    const containers = listAt(podSpec, field)
    const known = listAt(oldSpec, field)
    if (containers.length === 0 || containers.length !== known.length) continue
    podSpec[field] = containers.map((container, index) => {
      const same = known[index]
      return same !== undefined && same['name'] === container['name']
        ? { ...container, resources: same['resources'] ?? {} }
        : container
    })
  }
  return immutable(podSpec, oldSpec, 'spec.template.spec')
}

const validateCronJob: Validator = (object, old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const schedule = String(spec['schedule'] ?? '')
  const errors: FieldError[] = []
  if (schedule === '') errors.push(required('spec.schedule'))
  else {
    const fault = scheduleFault(schedule)
    if (fault !== undefined) errors.push(invalid('spec.schedule', schedule, fault))
    if (schedule.includes('TZ') && !String(old === undefined ? '' : objectAt(old, 'spec')['schedule']).includes('TZ')) {
      const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
      errors.push(invalid('spec.schedule', schedule, detail))
    }
  }
  append(errors, nonNegatives(spec, 'spec', 'startingDeadlineSeconds'))
  append(errors, timeZoneErrors(spec['timeZone']))
  const policy = String(spec['concurrencyPolicy'] ?? '')
  const policies = ['Allow', 'Forbid', 'Replace']
  if (!policies.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, policies))
  append(errors, specErrors(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'))
  append(errors, nonNegatives(spec, 'spec', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'))
  if (object.metadata.name.length > 52) {
    errors.push(invalid('metadata.name', object.metadata.name, 'must be no more than 52 characters'))
  }
  return errors
}

function timeZoneErrors(zone: Json | undefined): readonly FieldError[] {
  if (zone === undefined) return []
  const field = 'spec.timeZone'
  if (zone === '') return [invalid(field, zone, 'timeZone must be nil or non-empty string')]
  if (String(zone).toLowerCase() === 'local')
    return [
      invalid(field, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    ]
  try {
    new Intl.DateTimeFormat('en', { timeZone: String(zone) })
    return []
  } catch {
    return [invalid(field, zone, `unknown time zone ${String(zone)}`)]
  }
}

export const jobValidators: Readonly<Record<string, Validator>> = {
  'batch/Job': validateJob,
  'batch/CronJob': validateCronJob,
}
