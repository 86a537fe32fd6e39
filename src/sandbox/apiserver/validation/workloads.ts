/** Validation of the apps kinds. */
import { equal } from '../../../patch/index.ts'
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type FieldError, forbiddenValue, invalid, notSupported, required } from '../field-error.ts'
import type { ApiObject } from '../object.ts'
import type { Strategy } from '../resource.ts'
import { immutable, intOrPercent, nonNegative, nonNegatives, notAbove100Percent, percentOf } from './common.ts'
import { validateTemplate } from './pods.ts'
import { isEmptySelector, selects, validateSelector } from './selectors.ts'

type Validator = Strategy['validate']

function selectorErrors(spec: JsonObject, kind: string): readonly FieldError[] {
  const selector = spec['selector']
  if (!isJsonObject(selector)) return [required('spec.selector')]
  const errors = [...validateSelector(selector, 'spec.selector')]
  if (isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, `empty selector is invalid for ${kind}`))
  }
  return errors
}

/** Checks the pod template: its pods must be able to run indefinitely (restartPolicy Always, no deadline). */
function templateErrors(spec: JsonObject, kind: string, extraVolumes: readonly string[] = []): readonly FieldError[] {
  const template = objectAt(spec, 'template')
  const podSpec = objectAt(template, 'spec')
  const errors: FieldError[] = [...validateTemplate(template, 'spec.template', extraVolumes)]
  if (podSpec['restartPolicy'] !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', podSpec['restartPolicy'] ?? '', ['Always']))
  }
  if (podSpec['activeDeadlineSeconds'] !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbiddenValue('spec.template.spec.activeDeadlineSeconds', detail))
  }
  return errors
}

/** The template is not checked when the selector is invalid. */
function selectedTemplateErrors(
  spec: JsonObject,
  kind: string,
  extraVolumes: readonly string[] = [],
): readonly FieldError[] {
  const selector = spec['selector']
  if (isJsonObject(selector) && validateSelector(selector, '').length > 0) {
    return [invalid('spec.selector', selector, kind === 'StatefulSet' ? '' : 'invalid label selector')]
  }
  const own = objectAt(objectAt(spec, 'template'), 'metadata')['labels'] ?? null
  const isSelected = isJsonObject(selector) && (isEmptySelector(selector) || selects(selector, own))
  return [
    ...(isSelected
      ? []
      : [invalid('spec.template.metadata.labels', own, '`selector` does not match template `labels`')]),
    ...templateErrors(spec, kind, extraVolumes),
  ]
}

function rollingUpdateErrors(strategy: JsonObject): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate')
  const field = 'spec.strategy.rollingUpdate'
  const errors = [
    ...intOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${field}.maxSurge`),
  ]
  if (percentOf(maxUnavailable) === 0 && percentOf(maxSurge) === 0) {
    errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'))
  }
  return [...errors, ...notAbove100Percent(maxUnavailable, `${field}.maxUnavailable`)]
}

function strategyErrors(strategy: JsonObject): readonly FieldError[] {
  switch (strategy['type']) {
    case 'RollingUpdate':
      return rollingUpdateErrors(strategy)
    case 'Recreate':
      if (strategy['rollingUpdate'] === undefined) return []
      return [forbiddenValue('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
    default:
      return [notSupported('spec.strategy', { ...strategy }, ['Recreate', 'RollingUpdate'])]
  }
}

const validateDeployment: Validator = (object, old, subresource) => {
  if (subresource === 'status') return nonNegativeStatus(object)
  const spec = objectAt(object, 'spec')
  const errors = [
    ...nonNegative(spec['replicas'], 'spec.replicas'),
    ...selectorErrors(spec, 'deployment'),
    ...selectedTemplateErrors(spec, 'ReplicaSet'),
    ...strategyErrors(objectAt(spec, 'strategy')),
    ...nonNegatives(spec, 'spec', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
  ]
  const deadline = spec['progressDeadlineSeconds']
  const ready = spec['minReadySeconds']
  if (typeof deadline === 'number' && deadline <= (typeof ready === 'number' ? ready : 0)) {
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
  return [...errors, ...sameSelector(object, old)]
}

function sameSelector(object: ApiObject, old: ApiObject | undefined): readonly FieldError[] {
  if (old === undefined) return []
  return immutable(objectAt(object, 'spec')['selector'], objectAt(old, 'spec')['selector'], 'spec.selector')
}

function nonNegativeStatus(object: ApiObject): readonly FieldError[] {
  const status = objectAt(object, 'status')
  return nonNegatives(
    status,
    'status',
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  )
}

const validateReplicaSet: Validator = (object, old, subresource) => {
  if (subresource === 'status') return nonNegativeStatus(object)
  const spec = objectAt(object, 'spec')
  return [
    ...nonNegatives(spec, 'spec', 'replicas', 'minReadySeconds'),
    ...selectorErrors(spec, 'deployment'),
    ...selectedTemplateErrors(spec, 'ReplicaSet'),
    ...sameSelector(object, old),
  ]
}

function daemonSetStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const field = 'spec.updateStrategy'
  if (strategy['type'] === 'OnDelete') return []
  if (strategy['type'] !== 'RollingUpdate') {
    return [notSupported(field, { ...strategy }, ['OnDelete', 'RollingUpdate'])]
  }
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate')
  const place = `${field}.rollingUpdate`
  const errors = [
    ...intOrPercent(maxUnavailable, `${place}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${place}.maxSurge`),
    ...notAbove100Percent(maxUnavailable, `${place}.maxUnavailable`),
    ...notAbove100Percent(maxSurge, `${place}.maxSurge`),
  ]
  const [unavailable, surge] = [percentOf(maxUnavailable), percentOf(maxSurge)]
  if (unavailable !== 0 && surge !== 0) {
    errors.push(invalid(`${place}.maxSurge`, maxSurge ?? 0, 'may not be set when maxUnavailable is non-zero'))
  } else if (unavailable === 0 && surge === 0) {
    errors.push(required(`${place}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  }
  return errors
}

const validateDaemonSet: Validator = (object, old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const selector = isJsonObject(spec['selector']) ? spec['selector'] : undefined
  const own = objectAt(objectAt(spec, 'template'), 'metadata')['labels'] ?? null
  const errors: FieldError[] = selector === undefined ? [] : [...validateSelector(selector, 'spec.selector')]
  if (selector === undefined || !selects(selector, own)) {
    errors.push(invalid('spec.template.metadata.labels', own, '`selector` does not match template `labels`'))
  }
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  return [
    ...errors,
    ...templateErrors(spec, 'DaemonSet'),
    ...nonNegatives(spec, 'spec', 'minReadySeconds'),
    ...daemonSetStrategyErrors(objectAt(spec, 'updateStrategy')),
    ...nonNegatives(spec, 'spec', 'revisionHistoryLimit'),
    ...sameSelector(object, old),
  ]
}

function statefulSetStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const field = 'spec.updateStrategy'
  const rolling = strategy['rollingUpdate']
  switch (strategy['type']) {
    case 'RollingUpdate':
      return isJsonObject(rolling) ? nonNegative(rolling['partition'], `${field}.rollingUpdate.partition`) : []
    case 'OnDelete':
      if (rolling === undefined) return []
      return [invalid(`${field}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'")]
    default:
      return [invalid(field, { ...strategy }, "must be 'RollingUpdate' or 'OnDelete'")]
  }
}

const freeFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

function fixedFields(spec: JsonObject): JsonObject {
  const fixed: Record<string, Json> = { ...spec }
  for (const field of freeFields) delete fixed[field]
  return fixed
}

const validateStatefulSet: Validator = (object, old, subresource) => {
  if (subresource === 'status') return nonNegativeStatus(object)
  const spec = objectAt(object, 'spec')
  const policy = spec['podManagementPolicy']
  const claims = listAt(spec, 'volumeClaimTemplates').map((claim) => String(objectAt(claim, 'metadata')['name'] ?? ''))
  const errors: FieldError[] =
    policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [invalid('spec.podManagementPolicy', policy ?? '', "must be 'OrderedReady' or 'Parallel'")]
  append(
    errors,
    statefulSetStrategyErrors(objectAt(spec, 'updateStrategy')),
    nonNegatives(spec, 'spec', 'replicas', 'minReadySeconds'),
    nonNegative(objectAt(spec, 'ordinals')['start'], 'spec.ordinals.start'),
    selectorErrors(spec, 'statefulset'),
    selectedTemplateErrors(spec, 'StatefulSet', claims),
  )
  if (old !== undefined && !equal(fixedFields(spec), fixedFields(objectAt(old, 'spec')))) {
    const names = freeFields.map((field) => `'${field}'`)
    errors.push(
      forbiddenValue(
        'spec',
        `updates to statefulset spec for fields other than ${names.slice(0, -1).join(', ')} and ${names.at(-1)} are forbidden`,
      ),
    )
  }
  return errors
}

const validateReplicationController: Validator = (object, _old, subresource) => {
  if (subresource === 'status') return nonNegativeStatus(object)
  const spec = objectAt(object, 'spec')
  const selector = objectAt(spec, 'selector')
  const asSelector = { ...spec, selector: { matchLabels: selector } }
  return [
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...nonNegatives(spec, 'spec', 'minReadySeconds', 'replicas'),
    ...(isJsonObject(spec['template'])
      ? selectedTemplateErrors(asSelector, 'ReplicationController')
      : [required('spec.template')]),
  ]
}

export const workloadValidators: Readonly<Record<string, Validator>> = {
  'apps/Deployment': validateDeployment,
  'apps/ReplicaSet': validateReplicaSet,
  'apps/DaemonSet': validateDaemonSet,
  'apps/StatefulSet': validateStatefulSet,
  '/ReplicationController': validateReplicationController,
}
