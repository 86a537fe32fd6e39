/** What the server decides about a pod: its phase and class, and what its built-in admission adds to every pod. */
import { equal } from '../../../../patch/index.ts'
import type { Json, JsonObject } from '../../../../runtime/json.ts'
import { isJsonObject } from '../../../../runtime/json.ts'
import { lacks, listAt, objectAt } from '../../defaults/fill.ts'
import { type ApiObject, at, withMetadata } from '../../object.ts'
import { compareQuantities } from '../quantity.ts'
import { type Preparation, specOf, withSpec, withStatus } from './preparation.ts'

const measured = ['cpu', 'memory']

/** Guaranteed when every container is limited to what it requests, BestEffort when nothing is said at all. */
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

const evictions = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** Pods stay five minutes on a node that went away, unless they say otherwise. */
function tolerations(spec: JsonObject): readonly JsonObject[] {
  const given = listAt(spec, 'tolerations')
  const tolerates = (key: string): boolean =>
    given.some(
      (toleration) =>
        (toleration['key'] === key || lacks(toleration['key'])) &&
        (toleration['effect'] === 'NoExecute' || lacks(toleration['effect'])),
    )
  const added = evictions
    .filter((key) => !tolerates(key))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  return [...given, ...added]
}

function withAccount(spec: JsonObject): JsonObject {
  const account = spec['serviceAccountName'] || spec['serviceAccount'] || 'default'
  return { ...spec, serviceAccountName: account, serviceAccount: account }
}

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The volume with token, certificate and namespace that every container finds at the known place. */
function withToken(spec: JsonObject, uid: string): JsonObject {
  if (spec['automountServiceAccountToken'] === false) return spec
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  const lacksMount = (container: JsonObject): boolean =>
    !listAt(container, 'volumeMounts').some((mount) => mount['mountPath'] === tokenFolder)
  if (!containers.some(lacksMount)) return spec
  const name = `kube-api-access-${uid.replaceAll('-', '').slice(-5)}`
  const mounted = (list: readonly JsonObject[]): readonly JsonObject[] =>
    list.map((container) =>
      lacksMount(container)
        ? {
            ...container,
            volumeMounts: [...listAt(container, 'volumeMounts'), { name, readOnly: true, mountPath: tokenFolder }],
          }
        : container,
    )
  const initContainers = listAt(spec, 'initContainers')
  return {
    ...spec,
    containers: mounted(listAt(spec, 'containers')),
    ...(initContainers.length === 0 ? {} : { initContainers: mounted(initContainers) }),
    volumes: [...listAt(spec, 'volumes'), tokenVolume(name)],
  }
}

function tokenVolume(name: string): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' }
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
      ],
      defaultMode: 0o644,
    },
  }
}

/** Mirror pods of a kubelet bring everything themselves. */
function isMirror(object: ApiObject): boolean {
  return object.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
}

function admitted(object: ApiObject): ApiObject {
  const given = specOf(object)
  const spec = isMirror(object) ? given : withToken(withAccount(given), object.metadata.uid ?? '')
  return {
    ...object,
    spec: {
      ...spec,
      tolerations: tolerations(spec),
      priority: spec['priority'] ?? 0,
      preemptionPolicy: spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
    },
  }
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
    const pod = admitted(object)
    return withStatus(pod, { phase: 'Pending', ...gatedCondition(pod), qosClass: qualityOfService(specOf(pod)) })
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
    // Clients that do not know what admission added send pods without it.
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

/** Seconds a pod gets to end; those that never ran or have ended go at once. */
export function podGracePeriod(object: ApiObject, requested: number | undefined): number {
  const spec = specOf(object)
  const own = spec['terminationGracePeriodSeconds']
  const period = requested ?? (typeof own === 'number' ? own : 0)
  const status = isJsonObject(object['status']) ? object['status'] : {}
  if (lacks(spec['nodeName']) || status['phase'] === 'Failed' || status['phase'] === 'Succeeded') return 0
  return period < 0 ? 1 : period
}
