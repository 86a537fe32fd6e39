/** Validation of PodDisruptionBudgets, HorizontalPodAutoscalers, webhook configurations, Leases and classes. */
import { append, isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { duplicate, type FieldError, forbiddenValue, invalid, notSupported, required } from '../field-error.ts'
import type { Strategy } from '../resource.ts'
import { validateDnsSubdomain } from '../selectors/names.ts'
import { immutable, intOrPercent, notAbove100Percent } from './common.ts'
import { validateSelector } from './selectors.ts'

type Validator = Strategy['validate']

const validateBudget: Validator = (object, _old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const { minAvailable, maxUnavailable, selector } = spec
  const errors: FieldError[] = []
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    append(errors, intOrPercent(spec[field], `spec.${field}`), notAbove100Percent(spec[field], `spec.${field}`))
  }
  if (isJsonObject(selector)) append(errors, validateSelector(selector, 'spec.selector'))
  return errors
}

const validateAutoscaler: Validator = (object, _old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const min = Number(spec['minReplicas'] ?? 1)
  const max = Number(spec['maxReplicas'] ?? 0)
  const target = objectAt(spec, 'scaleTargetRef')
  const errors: FieldError[] = []
  if (min < 1) errors.push(invalid('spec.minReplicas', min, 'must be greater than or equal to 1'))
  if (max < 1) errors.push(invalid('spec.maxReplicas', max, 'must be greater than 0'))
  if (max < min) errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
  for (const field of ['kind', 'name']) if (!target[field]) errors.push(required(`spec.scaleTargetRef.${field}`))
  return errors
}

function webhookErrors(webhook: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const name = String(webhook['name'] ?? '')
  if (name === '') errors.push(required(`${field}.name`))
  else if (validateDnsSubdomain(name).length > 0 || name.split('.').length < 3) {
    errors.push(invalid(`${field}.name`, name, 'should be a domain with at least three segments separated by dots'))
  }
  const policies = ['Fail', 'Ignore']
  const policy = webhook['failurePolicy']
  if (policy !== undefined && !policies.includes(String(policy))) {
    errors.push(notSupported(`${field}.failurePolicy`, policy, policies))
  }
  const effects = webhook['sideEffects']
  if (effects === undefined || effects === '') {
    errors.push(required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'))
  } else if (effects !== 'None' && effects !== 'NoneOnDryRun') {
    errors.push(notSupported(`${field}.sideEffects`, effects, ['None', 'NoneOnDryRun']))
  }
  const seconds = Number(webhook['timeoutSeconds'] ?? 10)
  if (seconds < 1 || seconds > 30) {
    errors.push(invalid(`${field}.timeoutSeconds`, seconds, 'the timeout value must be between 1 and 30 seconds'))
  }
  const config = objectAt(webhook, 'clientConfig')
  if ((config['url'] === undefined) === (config['service'] === undefined)) {
    errors.push(required(`${field}.clientConfig`, 'exactly one of url or service is required'))
  }
  const url = config['url']
  if (typeof url === 'string' && !url.startsWith('https://')) {
    errors.push(
      invalid(
        `${field}.clientConfig.url`,
        url.split(':')[0] ?? '',
        "'https' is the only allowed URL scheme; desired format: https://host[/path]",
      ),
    )
  }
  const reviews = webhook['admissionReviewVersions']
  const versions = Array.isArray(reviews) ? (reviews as readonly string[]) : []
  if (versions.length === 0) {
    errors.push(required(`${field}.admissionReviewVersions`, 'must specify one of v1, v1beta1'))
  } else if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    errors.push(invalid(`${field}.admissionReviewVersions`, versions, 'must include at least one of v1, v1beta1'))
  }
  return errors
}

const validateWebhooks: Validator = (object) => {
  const names = new Set<string>()
  return listAt(object, 'webhooks').flatMap((webhook, index) => {
    const field = `webhooks[${index}]`
    const name = String(webhook['name'] ?? '')
    const taken = names.has(name)
    names.add(name)
    return [...webhookErrors(webhook, field), ...(taken ? [duplicate(`${field}.name`, name)] : [])]
  })
}

const validateLease: Validator = (object) => {
  const { leaseDurationSeconds, leaseTransitions } = objectAt(object, 'spec')
  const errors: FieldError[] = []
  if (typeof leaseDurationSeconds === 'number' && leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'))
  }
  if (typeof leaseTransitions === 'number' && leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'))
  }
  return errors
}

const validatePriorityClass: Validator = (object, old) => {
  const value = Number(object['value'] ?? 0)
  const { name } = object.metadata
  const errors: FieldError[] = []
  if (name.startsWith('system-') && value <= 1_000_000_000) {
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`
    errors.push(forbiddenValue('metadata.name', detail))
  } else if (value > 1_000_000_000 && !name.startsWith('system-')) {
    errors.push(forbiddenValue('value', 'maximum allowed value of a user defined priority is 1000000000'))
  }
  if (old === undefined) return errors
  return [
    ...errors,
    ...(object['value'] === old['value'] ? [] : [forbiddenValue('value', 'may not be changed in an update.')]),
    ...immutable(object['preemptionPolicy'], old['preemptionPolicy'], 'preemptionPolicy'),
  ]
}

const validateStorageClass: Validator = (object, old) => {
  if (old === undefined) return object['provisioner'] ? [] : [required('provisioner')]
  const fixed = ['parameters', 'provisioner', 'reclaimPolicy']
  return [
    ...fixed.flatMap((field) =>
      JSON.stringify(object[field] ?? null) === JSON.stringify(old[field] ?? null)
        ? []
        : [forbiddenValue(field, `updates to ${field} are forbidden.`)],
    ),
    ...immutable(object['volumeBindingMode'], old['volumeBindingMode'], 'volumeBindingMode'),
  ]
}

const validateClaim: Validator = (object, old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const errors: FieldError[] = []
  const modes = spec['accessModes']
  if (!Array.isArray(modes) || modes.length === 0) {
    errors.push(required('spec.accessModes', 'at least 1 access mode is required'))
  }
  if (objectAt(objectAt(spec, 'resources'), 'requests')['storage'] === undefined) {
    errors.push(required('spec.resources[storage]'))
  }
  if (old === undefined) return errors
  const changed = (field: string): boolean =>
    JSON.stringify(spec[field] ?? null) !== JSON.stringify(objectAt(old, 'spec')[field] ?? null)
  if (['accessModes', 'storageClassName', 'volumeMode', 'selector'].some(changed)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'
    errors.push(forbiddenValue('spec', detail))
  }
  return errors
}

export const policyValidators: Readonly<Record<string, Validator>> = {
  'policy/PodDisruptionBudget': validateBudget,
  'autoscaling/HorizontalPodAutoscaler': validateAutoscaler,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': validateWebhooks,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': validateWebhooks,
  'coordination.k8s.io/Lease': validateLease,
  'scheduling.k8s.io/PriorityClass': validatePriorityClass,
  'storage.k8s.io/StorageClass': validateStorageClass,
  '/PersistentVolumeClaim': validateClaim,
}
