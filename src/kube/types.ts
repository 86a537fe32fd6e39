/**
 * The built-in resource types the product itself uses, so that no discovery is needed to reach them.
 */
import type { ResourceType } from './object.ts'

function type(group: string, version: string, resource: string, kind: string, namespaced = true): ResourceType {
  return { group, version, resource, kind, namespaced }
}

export const resources = {
  configMaps: type('', 'v1', 'configmaps', 'ConfigMap'),
  coreEvents: type('', 'v1', 'events', 'Event'),
  namespaces: type('', 'v1', 'namespaces', 'Namespace', false),
  nodes: type('', 'v1', 'nodes', 'Node', false),
  pods: type('', 'v1', 'pods', 'Pod'),
  secrets: type('', 'v1', 'secrets', 'Secret'),
  serviceAccounts: type('', 'v1', 'serviceaccounts', 'ServiceAccount'),
  services: type('', 'v1', 'services', 'Service'),
  controllerRevisions: type('apps', 'v1', 'controllerrevisions', 'ControllerRevision'),
  daemonSets: type('apps', 'v1', 'daemonsets', 'DaemonSet'),
  deployments: type('apps', 'v1', 'deployments', 'Deployment'),
  replicaSets: type('apps', 'v1', 'replicasets', 'ReplicaSet'),
  statefulSets: type('apps', 'v1', 'statefulsets', 'StatefulSet'),
  jobs: type('batch', 'v1', 'jobs', 'Job'),
  leases: type('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  events: type('events.k8s.io', 'v1', 'events', 'Event'),
  customResourceDefinitions: type(
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
    false,
  ),
} as const
