/** Validation of pods, pod specs and pod templates. */
import { equal } from '../../../patch/index.ts'
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { duplicate, type FieldError, forbiddenValue, invalid, notSupported, required } from '../field-error.ts'
import type { ApiObject } from '../object.ts'
import { validateDnsSubdomain, validateLabelKey } from '../selectors/names.ts'
import { dnsLabel, labels } from './common.ts'
import { validateContainers, validateInitContainers } from './containers.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

/** `extraVolumes` are the volumes a controller adds to its pods, as for volumeClaimTemplates. */
export function validatePodSpec(
  spec: JsonObject,
  place: string,
  extraVolumes: readonly string[] = [],
): readonly FieldError[] {
  const { names, errors } = volumeErrors(spec, `${place}.volumes`, extraVolumes)
  const restart = spec['restartPolicy']
  const dns = spec['dnsPolicy']
  return [
    ...errors,
    ...validateContainers(spec, place, names),
    ...validateInitContainers(spec, place, names),
    ...(restartPolicies.includes(String(restart))
      ? []
      : [
          restart
            ? notSupported(`${place}.restartPolicy`, restart, restartPolicies)
            : required(`${place}.restartPolicy`),
        ]),
    ...(dnsPolicies.includes(String(dns)) ? [] : [notSupported(`${place}.dnsPolicy`, dns ?? '', dnsPolicies)]),
    ...labels(spec['nodeSelector'], `${place}.nodeSelector`),
    ...subdomain(spec['serviceAccountName'], `${place}.serviceAccountName`),
    ...subdomain(spec['nodeName'], `${place}.nodeName`),
    ...deadlineErrors(spec, place),
    ...(spec['hostname'] ? dnsLabel(spec['hostname'], `${place}.hostname`) : []),
    ...(spec['subdomain'] ? dnsLabel(spec['subdomain'], `${place}.subdomain`) : []),
    ...tolerationErrors(spec, `${place}.tolerations`),
  ]
}

function subdomain(value: Json | undefined, field: string): readonly FieldError[] {
  if (!value) return []
  return validateDnsSubdomain(String(value)).map((fault) => invalid(field, value, fault))
}

function deadlineErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const deadline = spec['activeDeadlineSeconds']
  if (typeof deadline !== 'number' || (deadline >= 1 && deadline <= 2_147_483_647)) return []
  return [invalid(`${place}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive')]
}

function volumeErrors(
  spec: JsonObject,
  field: string,
  extra: readonly string[],
): { readonly names: ReadonlySet<string>; readonly errors: readonly FieldError[] } {
  const names = new Set<string>(extra)
  const errors: FieldError[] = []
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const name = String(volume['name'] ?? '')
    const place = `${field}[${index}]`
    const found: FieldError[] = [...sourceErrors(volume, place)]
    if (name === '') found.push(required(`${place}.name`))
    else append(found, dnsLabel(name, `${place}.name`))
    if (names.has(name) && !extra.includes(name)) found.push(duplicate(`${place}.name`, name))
    if (found.length === 0) names.add(name)
    append(errors, found)
  }
  return { names, errors }
}

function sourceErrors(volume: JsonObject, place: string): readonly FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name')
  if (sources.length === 0) return [required(place, 'must specify a volume type')]
  const errors: FieldError[] = sources
    .slice(1)
    .map((source) => forbiddenValue(`${place}.${source}`, 'may not specify more than 1 volume type'))
  const needed: readonly (readonly [string, string])[] = [
    ['secret', 'secretName'],
    ['configMap', 'name'],
    ['hostPath', 'path'],
    ['persistentVolumeClaim', 'claimName'],
  ]
  for (const [source, field] of needed) {
    if (volume[source] !== undefined && !objectAt(volume, source)[field]) {
      errors.push(required(`${place}.${source}.${field}`))
    }
  }
  return errors
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const operators = ['Equal', 'Exists']

function tolerationErrors(spec: JsonObject, field: string): readonly FieldError[] {
  return listAt(spec, 'tolerations').flatMap((toleration, index) => {
    const place = `${field}[${index}]`
    const errors: FieldError[] = []
    const { key, operator, value, effect, tolerationSeconds } = toleration
    if (key)
      append(
        errors,
        validateLabelKey(String(key)).map((fault) => invalid(`${place}.key`, key, fault)),
      )
    if (!key && operator !== 'Exists') {
      errors.push(
        invalid(
          `${place}.operator`,
          operator ?? '',
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      )
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(
        invalid(`${place}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      )
    }
    if (operator === 'Exists' && value) {
      errors.push(invalid(`${place}.operator`, value, "value must be empty when `operator` is 'Exists'"))
    }
    if (operator && !operators.includes(String(operator))) {
      errors.push(notSupported(`${place}.operator`, operator, operators))
    }
    if (effect && !effects.includes(String(effect))) errors.push(notSupported(`${place}.effect`, effect, effects))
    return errors
  })
}

/** Validates a pod template. */
export function validateTemplate(
  template: JsonObject,
  place: string,
  extraVolumes: readonly string[] = [],
): readonly FieldError[] {
  const metadata = objectAt(template, 'metadata')
  return [
    ...labels(metadata['labels'], `${place}.labels`),
    ...validatePodSpec(objectAt(template, 'spec'), `${place}.spec`, extraVolumes),
  ]
}

export function validatePod(object: ApiObject, old: ApiObject | undefined, subresource: string): readonly FieldError[] {
  if (subresource === 'status') return []
  const errors = validatePodSpec(objectAt(object, 'spec'), 'spec')
  return old === undefined || subresource !== '' ? errors : [...errors, ...podUpdateErrors(object, old)]
}

const mutableFields =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function podUpdateErrors(object: ApiObject, old: ApiObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec')
  const before = objectAt(old, 'spec')
  for (const field of ['containers', 'initContainers']) {
    if (listAt(spec, field).length !== listAt(before, field).length) {
      return [forbiddenValue(`spec.${field}`, 'pod updates may not add or remove containers')]
    }
  }
  const errors: FieldError[] = []
  const kept = listAt(before, 'tolerations').every((toleration) =>
    listAt(spec, 'tolerations').some((one) => equal(withoutSeconds(one), withoutSeconds(toleration))),
  )
  if (!kept) {
    const detail = 'existing toleration can not be modified except its tolerationSeconds'
    errors.push(forbiddenValue('spec.tolerations', detail))
  }
  const added = listAt(spec, 'schedulingGates').filter(
    (gate) => !listAt(before, 'schedulingGates').some((one) => one['name'] === gate['name']),
  )
  for (const gate of added) {
    const detail = `only deletion is allowed, but found new scheduling gate '${String(gate['name'])}'`
    errors.push(forbiddenValue('spec.schedulingGates', detail))
  }
  if (!equal(fixedParts(spec, before), before)) {
    errors.push(forbiddenValue('spec', `pod updates may not change fields other than ${mutableFields}\n`))
  }
  return errors
}

function withoutSeconds({ tolerationSeconds: _seconds, ...toleration }: JsonObject): JsonObject {
  return toleration
}

/** The new spec with the old values of all mutable fields. */
function fixedParts(spec: JsonObject, before: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...spec }
  for (const field of ['containers', 'initContainers']) {
    const old = listAt(before, field)
    if (old.length > 0) {
      result[field] = listAt(spec, field).map((container, index) => ({
        ...container,
        image: old[index]?.['image'] ?? '',
      }))
    }
  }
  const isGated = listAt(before, 'schedulingGates').length > 0
  const free = [
    'activeDeadlineSeconds',
    'tolerations',
    'schedulingGates',
    ...(isGated ? ['nodeSelector', 'affinity'] : []),
  ]
  for (const field of free) {
    const value = before[field]
    if (value === undefined) delete result[field]
    else result[field] = value
  }
  const grace = before['terminationGracePeriodSeconds']
  if (typeof grace === 'number' && grace < 0) result['terminationGracePeriodSeconds'] = grace
  return isJsonObject(result) ? result : {}
}
