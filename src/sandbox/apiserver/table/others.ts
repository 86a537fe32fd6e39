/** Table cells of the remaining kinds with columns of their own. */
import { at } from '../object.ts'
import { age } from './durations.ts'
import { count, isTrueCondition, list, size, text } from './reading.ts'
import { type Cells, counted, created, named } from './row.ts'

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

export const otherCells: Readonly<Record<string, Cells>> = {
  '/ConfigMap': counted('data', 'binaryData'),
  '/Event': event,
  '/Namespace': named('status.phase'),
  '/Node': node,
  '/ResourceQuota': quota,
  '/Secret': (object, now) => [object.metadata.name, text(object, 'type'), size(object, 'data'), created(object, now)],
  '/ServiceAccount': named(),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': counted('webhooks'),
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': counted('webhooks'),
  'coordination.k8s.io/Lease': named('spec.holderIdentity'),
  'events.k8s.io/Event': event,
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
}
