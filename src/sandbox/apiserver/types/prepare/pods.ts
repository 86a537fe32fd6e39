/** Create and update preparation of pods: phase, QoS class and grace period. */
import { equal } from '../../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/index.ts'
import { lacks, listAt, objectAt } from '../../defaults/fill.ts'
import { type ApiObject, at, withMetadata } from '../../object.ts'
import { compareQuantities } from '../quantity.ts'
import { type Preparation, specOf, withSpec, withStatus } from './preparation.ts'

const measured = ['cpu', 'memory']

/** Guaranteed when every container has limits equal to its requests, BestEffort when no container has either. */
export function qualityOfService(spec: JsonObject): string {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  let isMentioned = false
  let isGuaranteed = true
  for (const container of containers) {
    const resources = objectAt(container, 'resources')
    const limits = objectAt(resources, 'limits')
    const requests = objectAt(resources, 'requests')
    for (const name of measured) {
      const limit = limits[name]
      const request = requests[name]
      if (!isZero(limit) || !isZero(request)) isMentioned = true
      if (isZero(limit)) isGuaranteed = false
      else if (!isZero(request) && compareQuantities(String(limit), String(request)) !== 0) isGuaranteed = false
    }
  }
  if (!isMentioned) return 'BestEffort'
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

function isZero(quantity: Json | undefined): boolean {
  return quantity === undefined || compareQuantities(String(quantity), '0') === 0
}

function gatedCondition(object: ApiObject): JsonObject {
  if (listAt(specOf(object), 'schedulingGates').length === 0) return {}
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: object.metadata.creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  }
  return { conditions: [condition] }
}

export const podPreparation: Preparation = {
  create(object) {
    return withStatus(object, {
      phase: 'Pending',
      ...gatedCondition(object),
      qosClass: qualityOfService(specOf(object)),
    })
  },
  update(object, old, subresource) {
    if (subresource === 'status') {
      const qosClass = at(object, 'status', 'qosClass') ?? at(old, 'status', 'qosClass')
      const owned = withMetadata(object, {
        ownerReferences: old.metadata.ownerReferences,
        deletionTimestamp: old.metadata.deletionTimestamp,
      })
      return qosClass === undefined ? owned : withStatus(owned, { qosClass })
    }
    // Keep fields that admission added when a client omits them.
    const spec = specOf(object)
    const kept: Record<string, Json> = {}
    for (const field of ['serviceAccountName', 'serviceAccount', 'priority', 'preemptionPolicy']) {
      const before = specOf(old)[field]
      if (spec[field] === undefined && before !== undefined) kept[field] = before
    }
    return withSpec(object, kept)
  },
  isNewGeneration: (object, old) => !equal(object['spec'] ?? null, old['spec'] ?? null),
}

/** The grace period of a pod in seconds; unscheduled and finished pods are removed immediately. */
export function podGracePeriod(object: ApiObject, requested: number | undefined): number {
  const spec = specOf(object)
  const own = spec['terminationGracePeriodSeconds']
  const period = requested ?? (typeof own === 'number' ? own : 0)
  const status = isJsonObject(object['status']) ? object['status'] : {}
  if (lacks(spec['nodeName']) || status['phase'] === 'Failed' || status['phase'] === 'Succeeded') return 0
  return period < 0 ? 1 : period
}
