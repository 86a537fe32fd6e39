/** Defaults of the kinds of the core group other than pods. */
import { isJsonObject, type JsonObject, textToBase64 } from '../../../runtime/index.ts'
import { changed, type DefaultRule, fill, filled, isEmptyMap, lacks, listAt, objectAt } from './fill.ts'

const externallyReachable = new Set(['NodePort', 'LoadBalancer'])

function sessionAffinity(spec: JsonObject): JsonObject {
  if (spec['sessionAffinity'] === 'ClientIP') {
    const clientIP = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP')
    if (clientIP['timeoutSeconds'] !== undefined) return spec
    return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }
  }
  if (!('sessionAffinityConfig' in spec)) return spec
  const { sessionAffinityConfig: _unused, ...rest } = spec
  return rest
}

function isExternal(spec: JsonObject): boolean {
  const isReachable = externallyReachable.has(String(spec['type']))
  return isReachable || (spec['type'] === 'ClusterIP' && listOf(spec['externalIPs']) > 0)
}

function listOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

const service: DefaultRule = (value) =>
  changed(value, 'spec', (given) => {
    let spec = sessionAffinity(filled(given, { sessionAffinity: 'None', type: 'ClusterIP' }))
    const ports = listAt(spec, 'ports')
    const filledPorts = ports.map((port) => {
      const target = port['targetPort']
      const bare = target === 0 || target === '' ? { ...port, targetPort: null } : port
      return filled(bare, { protocol: 'TCP', targetPort: port['port'] ?? 0 })
    })
    if (filledPorts.some((port, index) => port !== ports[index])) spec = { ...spec, ports: filledPorts }
    if (isExternal(spec)) spec = filled(spec, { externalTrafficPolicy: 'Cluster' })
    if (spec['type'] !== 'ExternalName') spec = filled(spec, { internalTrafficPolicy: 'Cluster' })
    return spec['type'] === 'LoadBalancer' ? filled(spec, { allocateLoadBalancerNodePorts: true }) : spec
  })

/** `stringData` is stored as base64 in `data`. */
const secret: DefaultRule = (value) => {
  const { stringData, ...rest } = filled(value, { type: 'Opaque' })
  if (!isJsonObject(stringData)) return stringData === undefined && rest['type'] === value['type'] ? value : rest
  const texts = Object.entries(stringData).map(([key, text]) => [key, textToBase64(String(text))])
  return { ...rest, data: { ...objectAt(rest, 'data'), ...Object.fromEntries(texts) } }
}

const replicationController: DefaultRule = (value) => {
  const labels = objectAt(objectAt(objectAt(objectAt(value, 'spec'), 'template'), 'metadata'), 'labels')
  if (isEmptyMap(labels)) return value
  const selected = changed(value, 'spec', (spec) =>
    isEmptyMap(spec['selector']) ? { ...spec, selector: labels } : spec,
  )
  return changed(selected, 'metadata', (metadata) =>
    isEmptyMap(metadata['labels']) ? { ...metadata, labels } : metadata,
  )
}

const namespace: DefaultRule = (value) => {
  const name = objectAt(value, 'metadata')['name']
  const labelled = lacks(name)
    ? value
    : changed(value, 'metadata', (metadata) =>
        changed(metadata, 'labels', (labels) =>
          labels['kubernetes.io/metadata.name'] === name
            ? labels
            : { ...labels, 'kubernetes.io/metadata.name': name ?? '' },
        ),
      )
  return changed(labelled, 'status', fill({ phase: 'Active' }))
}

const nodeStatus: DefaultRule = (value) =>
  value['capacity'] === undefined ? value : filled(value, { allocatable: value['capacity'] })

const limitRangeItem: DefaultRule = (value) => {
  if (value['type'] !== 'Container') return value
  const limit = filled(objectAt(value, 'default'), objectAt(value, 'max'))
  const request = filled(filled(objectAt(value, 'defaultRequest'), limit), objectAt(value, 'min'))
  return {
    ...value,
    ...(isEmptyMap(limit) ? {} : { default: limit }),
    ...(isEmptyMap(request) ? {} : { defaultRequest: request }),
  }
}

export const coreDefaults: Readonly<Record<string, DefaultRule>> = {
  'core.v1.Service': service,
  'core.v1.Secret': secret,
  'core.v1.Namespace': namespace,
  'core.v1.NodeSpec': (value) =>
    lacks(value['podCIDR']) ? value : filled(value, { podCIDRs: [value['podCIDR'] ?? ''] }),
  'core.v1.NodeStatus': nodeStatus,
  'core.v1.LimitRangeItem': limitRangeItem,
  'core.v1.ReplicationController': replicationController,
  'core.v1.EndpointPort': fill({ protocol: 'TCP' }),
  'core.v1.PersistentVolume': (value) =>
    changed(
      changed(value, 'status', fill({ phase: 'Pending' })),
      'spec',
      fill({
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      }),
    ),
  'core.v1.PersistentVolumeClaim': (value) => changed(value, 'status', fill({ phase: 'Pending' })),
  'core.v1.PersistentVolumeClaimSpec': fill({ volumeMode: 'Filesystem' }),
}
