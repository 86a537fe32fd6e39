/** Rules of pods: their first status, their class of service, their grace. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'
import { type ApiObject, at, withField, withMetadata } from '../object.ts'
import { text, texts } from './fields.ts'
import type { KindRules } from './rules.ts'

export const podRules: KindRules = {
  create(pod) {
    const conditions = gated(pod) ? { conditions: [gatedCondition] } : {}
    return withField(pod, 'status', { phase: 'Pending', ...conditions, qosClass: qosClass(pod) })
  },
  update(pod, old, subresource) {
    if (subresource !== 'status') return pod
    const status = at(pod, 'status')
    const before = at(old, 'status')
    const kept = {
      ...(isJsonObject(status) ? status : {}),
      qosClass: at(status, 'qosClass') ?? at(before, 'qosClass') ?? null,
    }
    return withMetadata(withField(pod, 'status', kept), { ownerReferences: old.metadata.ownerReferences })
  },
  gracePeriodSeconds(pod, requested) {
    const phase = at(pod, 'status', 'phase')
    if (!at(pod, 'spec', 'nodeName') || phase === 'Failed' || phase === 'Succeeded') return 0
    const own = at(pod, 'spec', 'terminationGracePeriodSeconds')
    const period = requested ?? (typeof own === 'number' ? own : 0)
    return period < 0 ? 1 : period
  },
  returnsDeleted: true,
  fields: {
    ...texts(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ),
    'spec.hostNetwork': text('spec.hostNetwork', 'false'),
  },
}

const gatedCondition = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
}

function gated(pod: ApiObject): boolean {
  const gates = at(pod, 'spec', 'schedulingGates')
  return Array.isArray(gates) && gates.length > 0
}

/** Guaranteed, Burstable or BestEffort, from cpu and memory of all containers. */
export function qosClass(pod: ApiObject): string {
  const containers = [...listOf(at(pod, 'spec', 'containers')), ...listOf(at(pod, 'spec', 'initContainers'))]
  let any = false
  let guaranteed = true
  for (const container of containers) {
    for (const resource of ['cpu', 'memory']) {
      const limit = at(container, 'resources', 'limits', resource)
      const request = at(container, 'resources', 'requests', resource) ?? limit
      if (isSet(limit) || isSet(request)) any = true
      if (!isSet(limit) || String(limit) !== String(request)) guaranteed = false
    }
  }
  return !any ? 'BestEffort' : guaranteed ? 'Guaranteed' : 'Burstable'
}

function isSet(quantity: Json | undefined): boolean {
  return quantity !== undefined && quantity !== null && !/^0+[A-Za-z]*$/.test(String(quantity))
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
