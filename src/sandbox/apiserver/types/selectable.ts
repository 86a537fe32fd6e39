/** Field selectors of built-in kinds that support more than name and namespace. */
import type { Json } from '../../../runtime/index.ts'
import { type ApiObject, at } from '../object.ts'

type Read = (object: ApiObject) => string

function text(value: Json | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

function fields(...paths: readonly string[]): Readonly<Record<string, Read>> {
  return Object.fromEntries(paths.map((path) => [path, (object: ApiObject) => text(at(object, ...path.split('.')))]))
}

function orElse(path: string, otherwise: string): Readonly<Record<string, Read>> {
  return { [path]: (object) => text(at(object, ...path.split('.'))) || otherwise }
}

const selectable: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  '/Pod': {
    ...fields(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ),
    ...orElse('spec.hostNetwork', 'false'),
    'spec.host': (object) => text(at(object, 'spec', 'nodeName')),
  },
  '/Node': orElse('spec.unschedulable', 'false'),
  '/Namespace': { ...fields('status.phase'), name: (object) => object.metadata.name },
  '/Secret': fields('type'),
  '/Service': fields('spec.clusterIP', 'spec.type'),
  '/ReplicationController': orElse('status.replicas', '0'),
  'apps/ReplicaSet': orElse('status.replicas', '0'),
  'batch/Job': { 'status.successful': (object) => text(at(object, 'status', 'succeeded')) || '0' },
  '/Event': {
    ...fields(
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'type',
    ),
    reportingComponent: (object) => text(at(object, 'reportingComponent')),
    source: (object) => text(at(object, 'source', 'component')) || text(at(object, 'reportingComponent')),
  },
  'events.k8s.io/Event': fields(
    'reason',
    'type',
    'reportingController',
    'regarding.kind',
    'regarding.name',
    'regarding.namespace',
    'regarding.uid',
  ),
}

export function selectableFields(group: string, kind: string): Readonly<Record<string, Read>> {
  return selectable[`${group}/${kind}`] ?? {}
}
