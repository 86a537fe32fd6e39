/** Rows of the other kinds that have columns of their own. */
import type { Instant } from '../../../runtime/clock.ts'
import { type ApiObject, at } from '../object.ts'
import { age } from './durations.ts'
import { annotation, count, isTrueCondition, list, selectorCell, shortList, size, strings, text } from './reading.ts'
import type { Cells } from './workloads.ts'

function created(object: ApiObject, now: Instant): string {
  return age(object.metadata.creationTimestamp, now)
}

const named =
  (...paths: readonly string[]): Cells =>
  (object, now) => [object.metadata.name, ...paths.map((path) => text(object, path)), created(object, now)]

const counted =
  (...paths: readonly string[]): Cells =>
  (object, now) => [
    object.metadata.name,
    paths.reduce((sum, path) => sum + size(object, path), 0),
    created(object, now),
  ]

const rolePrefix = 'node-role.kubernetes.io/'

const node: Cells = (object, now) => {
  const isKnown = list(object, 'status.conditions').some(({ type }) => type === 'Ready')
  const ready = isTrueCondition(object, 'Ready') ? 'Ready' : isKnown ? 'NotReady' : 'Unknown'
  const labels = Object.entries(object.metadata.labels ?? {})
  const roles = new Set([
    ...labels.filter(([key]) => key.startsWith(rolePrefix)).map(([key]) => key.slice(rolePrefix.length)),
    ...labels.filter(([key]) => key === 'kubernetes.io/role').map(([, value]) => value),
  ])
  roles.delete('')
  const addressOf = (type: string): string =>
    text(list(object, 'status.addresses').find((address) => address['type'] === type) ?? {}, 'address', '<none>')
  const architecture = text(object, 'status.nodeInfo.architecture')
  const kernel = text(object, 'status.nodeInfo.kernelVersion', '<unknown>')
  return [
    object.metadata.name,
    at(object, 'spec', 'unschedulable') === true ? `${ready},SchedulingDisabled` : ready,
    [...roles].sort().join(',') || '<none>',
    created(object, now),
    text(object, 'status.nodeInfo.kubeletVersion'),
    addressOf('InternalIP'),
    addressOf('ExternalIP'),
    text(object, 'status.nodeInfo.osImage', '<unknown>'),
    architecture === '' ? kernel : `${kernel} (${architecture})`,
    text(object, 'status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  ]
}

function ingressAddresses(object: ApiObject): string {
  const found = list(object, 'status.loadBalancer.ingress').map((one) => text(one, 'ip') || text(one, 'hostname'))
  return [...new Set(found)].sort().join(',')
}

function externalAddress(service: ApiObject): string {
  const own = strings(service, 'spec.externalIPs')
  switch (text(service, 'spec.type')) {
    case 'ExternalName':
      return text(service, 'spec.externalName')
    case 'LoadBalancer': {
      const all = [ingressAddresses(service), ...own].filter((address) => address !== '')
      return all.length === 0 ? '<pending>' : all.join(',')
    }
    default:
      return own.length === 0 ? '<none>' : own.join(',')
  }
}

const service: Cells = (object, now) => {
  const ports = list(object, 'spec.ports').map((port) => {
    const nodePort = count(port, 'nodePort')
    return `${count(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port, 'protocol')}`
  })
  const selector = Object.entries((at(object, 'spec', 'selector') ?? {}) as Record<string, string>)
  return [
    object.metadata.name,
    text(object, 'spec.type'),
    strings(object, 'spec.clusterIPs')[0] ?? '<none>',
    externalAddress(object),
    ports.length === 0 ? '<none>' : ports.join(','),
    created(object, now),
    selector.length === 0
      ? '<none>'
      : selector
          .map(([key, value]) => `${key}=${value}`)
          .sort()
          .join(','),
  ]
}

const endpoints: Cells = (object, now) => {
  const all = list(object, 'subsets').flatMap((subset) => {
    const addresses = list(subset, 'addresses').map((address) => text(address, 'ip'))
    const ports = list(subset, 'ports').map((port) => count(port, 'port'))
    if (ports.length === 0) return addresses
    return ports.flatMap((port) => addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)))
  })
  const cell = list(object, 'subsets').length === 0 ? '<none>' : shortList(all, '')
  return [object.metadata.name, cell, created(object, now)]
}

const endpointSlice: Cells = (object, now) => [
  object.metadata.name,
  text(object, 'addressType'),
  shortList(
    list(object, 'ports').map((port) => text(port, 'port') || text(port, 'name', '*')),
    '<unset>',
  ),
  shortList(
    list(object, 'endpoints').flatMap((endpoint) => strings(endpoint, 'addresses')),
    '<unset>',
  ),
  created(object, now),
]

const event: Cells = (object, now) => {
  const about = 'involvedObject' in object ? 'involvedObject' : 'regarding'
  const first = text(object, 'firstTimestamp') || text(object, 'deprecatedFirstTimestamp') || text(object, 'eventTime')
  const last = text(object, 'lastTimestamp') || text(object, 'deprecatedLastTimestamp') || first
  const series = at(object, 'series')
  const name = text(object, `${about}.name`)
  const kind = text(object, `${about}.kind`).toLowerCase()
  const component =
    text(object, 'source.component') ||
    text(object, 'deprecatedSource.component') ||
    text(object, 'reportingComponent') ||
    text(object, 'reportingController')
  const host = text(object, 'source.host') || text(object, 'deprecatedSource.host') || text(object, 'reportingInstance')
  const times = count(object, 'count') || count(object, 'deprecatedCount') || 1
  return [
    age(series === undefined ? last : text(object, 'series.lastObservedTime'), now),
    text(object, 'type'),
    text(object, 'reason'),
    name === '' ? kind : `${kind}/${name}`,
    text(object, `${about}.fieldPath`),
    host === '' ? component : `${component}, ${host}`,
    (text(object, 'message') || text(object, 'note')).trim(),
    age(first, now),
    series === undefined ? times : count(object, 'series.count'),
    object.metadata.name,
  ]
}

const binding: Cells = (object, now) => {
  const subjects = list(object, 'subjects')
  const of = (kind: string): string =>
    subjects
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount' && text(subject, 'namespace') !== ''
          ? `${text(subject, 'namespace')}/${text(subject, 'name')}`
          : text(subject, 'name'),
      )
      .join(', ')
  return [
    object.metadata.name,
    `${text(object, 'roleRef.kind')}/${text(object, 'roleRef.name')}`,
    created(object, now),
    of('User'),
    of('Group'),
    of('ServiceAccount'),
  ]
}

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function accessModes(object: ApiObject, path: string): string {
  const given = strings(object, path)
  return Object.keys(modes)
    .filter((mode) => given.includes(mode))
    .map((mode) => modes[mode])
    .join(',')
}

function phase(object: ApiObject): string {
  return object.metadata.deletionTimestamp === undefined ? text(object, 'status.phase') : 'Terminating'
}

const volume: Cells = (object, now) => [
  object.metadata.name,
  text(object, 'spec.capacity.storage', '0'),
  accessModes(object, 'spec.accessModes'),
  text(object, 'spec.persistentVolumeReclaimPolicy'),
  phase(object),
  at(object, 'spec', 'claimRef') === undefined
    ? ''
    : `${text(object, 'spec.claimRef.namespace')}/${text(object, 'spec.claimRef.name')}`,
  annotation(object, 'volume.beta.kubernetes.io/storage-class') ?? text(object, 'spec.storageClassName'),
  text(object, 'spec.volumeAttributesClassName', '<unset>'),
  text(object, 'status.reason'),
  created(object, now),
  text(object, 'spec.volumeMode', '<unset>'),
]

const claim: Cells = (object, now) => {
  const isBound = text(object, 'spec.volumeName') !== ''
  return [
    object.metadata.name,
    phase(object),
    text(object, 'spec.volumeName'),
    isBound ? text(object, 'status.capacity.storage', '0') : '',
    isBound ? accessModes(object, 'status.accessModes') : '',
    annotation(object, 'volume.beta.kubernetes.io/storage-class') ?? text(object, 'spec.storageClassName'),
    text(object, 'spec.volumeAttributesClassName', '<unset>'),
    created(object, now),
    text(object, 'spec.volumeMode', '<unset>'),
  ]
}

function marked(object: ApiObject, mark: string): string {
  return annotation(object, mark) === 'true' ? `${object.metadata.name} (default)` : object.metadata.name
}

const quota: Cells = (object, now) => {
  const hard = (at(object, 'status', 'hard') ?? {}) as Record<string, string>
  const used = (at(object, 'status', 'used') ?? {}) as Record<string, string>
  const cells = Object.keys(hard)
    .sort()
    .map((name): [string, string] => [name, `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`])
  const isLimit = ([name]: readonly [string, string]): boolean => name.startsWith('limits.')
  const joined = (entries: readonly [string, string][]): string => entries.map(([, cell]) => cell).join(', ')
  return [
    object.metadata.name,
    joined(cells.filter((cell) => !isLimit(cell))),
    joined(cells.filter(isLimit)),
    created(object, now),
  ]
}

const ingress: Cells = (object, now) => {
  const rules = list(object, 'spec.rules')
  const hosts = rules.map((rule) => text(rule, 'host')).filter((host) => host !== '')
  const shown = hosts.slice(0, 3).join(',')
  return [
    object.metadata.name,
    text(object, 'spec.ingressClassName', '<none>'),
    hosts.length === 0 ? '*' : rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown,
    ingressAddresses(object),
    list(object, 'spec.tls').length === 0 ? '80' : '80, 443',
    created(object, now),
  ]
}

const ingressClass: Cells = (object, now) => {
  const group = text(object, 'spec.parameters.apiGroup')
  const kind = text(object, 'spec.parameters.kind')
  return [
    marked(object, 'ingressclass.kubernetes.io/is-default-class'),
    text(object, 'spec.controller'),
    kind === '' ? '<none>' : `${group === '' ? kind : `${kind}.${group}`}/${text(object, 'spec.parameters.name')}`,
    created(object, now),
  ]
}

export const otherCells: Readonly<Record<string, Cells>> = {
  '/ConfigMap': counted('data', 'binaryData'),
  '/Endpoints': endpoints,
  '/Event': event,
  '/Namespace': named('status.phase'),
  '/Node': node,
  '/PersistentVolume': volume,
  '/PersistentVolumeClaim': claim,
  '/ResourceQuota': quota,
  '/Secret': (object, now) => [object.metadata.name, text(object, 'type'), size(object, 'data'), created(object, now)],
  '/Service': service,
  '/ServiceAccount': named(),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': counted('webhooks'),
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': counted('webhooks'),
  'coordination.k8s.io/Lease': named('spec.holderIdentity'),
  'discovery.k8s.io/EndpointSlice': endpointSlice,
  'events.k8s.io/Event': event,
  'networking.k8s.io/Ingress': ingress,
  'networking.k8s.io/IngressClass': ingressClass,
  'networking.k8s.io/NetworkPolicy': (object, now) => [
    object.metadata.name,
    selectorCell(object, 'spec.podSelector'),
    created(object, now),
  ],
  'node.k8s.io/RuntimeClass': named('handler'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': binding,
  'rbac.authorization.k8s.io/RoleBinding': binding,
  'scheduling.k8s.io/PriorityClass': (object, now) => [
    object.metadata.name,
    count(object, 'value'),
    at(object, 'globalDefault') === true,
    created(object, now),
    text(object, 'preemptionPolicy'),
  ],
  'storage.k8s.io/CSIDriver': (object, now) => [
    object.metadata.name,
    at(object, 'spec', 'attachRequired') !== false,
    at(object, 'spec', 'podInfoOnMount') === true,
    at(object, 'spec', 'storageCapacity') === true,
    list(object, 'spec.tokenRequests')
      .map((request) => text(request, 'audience'))
      .join(',') || '<unset>',
    at(object, 'spec', 'requiresRepublish') === true,
    strings(object, 'spec.volumeLifecycleModes').join(',') || '<none>',
    created(object, now),
  ],
  'storage.k8s.io/CSINode': counted('spec.drivers'),
  'storage.k8s.io/StorageClass': (object, now) => [
    marked(object, 'storageclass.kubernetes.io/is-default-class'),
    text(object, 'provisioner'),
    text(object, 'reclaimPolicy', 'Delete'),
    text(object, 'volumeBindingMode', 'Immediate'),
    at(object, 'allowVolumeExpansion') === true,
    created(object, now),
  ],
  'storage.k8s.io/VolumeAttachment': (object, now) => [
    object.metadata.name,
    text(object, 'spec.attacher'),
    text(object, 'spec.source.persistentVolumeName'),
    text(object, 'spec.nodeName'),
    at(object, 'status', 'attached') === true,
    created(object, now),
  ],
}
