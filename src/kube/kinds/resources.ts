/**
 * The built-in resource types with the fields of their objects, so that `client.of(resources.deployments)` gives typed objects and no
 * discovery is needed to reach them.
 */
import type { KubeObject, ResourceType } from '../object.ts'
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from './admission.ts'
import type { ConfigMap, Namespace, Secret, ServiceAccount } from './core.ts'
import type { CustomResourceDefinition } from './definition.ts'
import type { PodDisruptionBudget } from './disruption.ts'
import type { CoreEvent, Event } from './event.ts'
import type { CronJob, Job } from './job.ts'
import type { Lease } from './lease.ts'
import type { Node } from './node.ts'
import type { Pod } from './pod.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './rbac.ts'
import type { EndpointSlice, Service } from './service.ts'
import type { PersistentVolumeClaim } from './storage.ts'
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './workload.ts'

/** `scope` is `Cluster` for types without a namespace. */
function type<T extends KubeObject>(
  groupVersion: string,
  resource: string,
  kind: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): ResourceType<T> {
  const [version = '', group = ''] = groupVersion.split('/').reverse()
  return { group, version, resource, kind, namespaced: scope === 'Namespaced' }
}

const admission = 'admissionregistration.k8s.io/v1'
const rbac = 'rbac.authorization.k8s.io/v1'

export const resources = {
  configMaps: type<ConfigMap>('v1', 'configmaps', 'ConfigMap'),
  coreEvents: type<CoreEvent>('v1', 'events', 'Event'),
  namespaces: type<Namespace>('v1', 'namespaces', 'Namespace', 'Cluster'),
  nodes: type<Node>('v1', 'nodes', 'Node', 'Cluster'),
  persistentVolumeClaims: type<PersistentVolumeClaim>('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  pods: type<Pod>('v1', 'pods', 'Pod'),
  secrets: type<Secret>('v1', 'secrets', 'Secret'),
  serviceAccounts: type<ServiceAccount>('v1', 'serviceaccounts', 'ServiceAccount'),
  services: type<Service>('v1', 'services', 'Service'),
  controllerRevisions: type<ControllerRevision>('apps/v1', 'controllerrevisions', 'ControllerRevision'),
  daemonSets: type<DaemonSet>('apps/v1', 'daemonsets', 'DaemonSet'),
  deployments: type<Deployment>('apps/v1', 'deployments', 'Deployment'),
  replicaSets: type<ReplicaSet>('apps/v1', 'replicasets', 'ReplicaSet'),
  statefulSets: type<StatefulSet>('apps/v1', 'statefulsets', 'StatefulSet'),
  cronJobs: type<CronJob>('batch/v1', 'cronjobs', 'CronJob'),
  jobs: type<Job>('batch/v1', 'jobs', 'Job'),
  leases: type<Lease>('coordination.k8s.io/v1', 'leases', 'Lease'),
  endpointSlices: type<EndpointSlice>('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice'),
  events: type<Event>('events.k8s.io/v1', 'events', 'Event'),
  podDisruptionBudgets: type<PodDisruptionBudget>('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  clusterRoleBindings: type<ClusterRoleBinding>(rbac, 'clusterrolebindings', 'ClusterRoleBinding', 'Cluster'),
  clusterRoles: type<ClusterRole>(rbac, 'clusterroles', 'ClusterRole', 'Cluster'),
  roleBindings: type<RoleBinding>(rbac, 'rolebindings', 'RoleBinding'),
  roles: type<Role>(rbac, 'roles', 'Role'),
  mutatingAdmissionPolicies: type<MutatingAdmissionPolicy>(
    admission,
    'mutatingadmissionpolicies',
    'MutatingAdmissionPolicy',
    'Cluster',
  ),
  mutatingAdmissionPolicyBindings: type<MutatingAdmissionPolicyBinding>(
    admission,
    'mutatingadmissionpolicybindings',
    'MutatingAdmissionPolicyBinding',
    'Cluster',
  ),
  mutatingWebhookConfigurations: type<MutatingWebhookConfiguration>(
    admission,
    'mutatingwebhookconfigurations',
    'MutatingWebhookConfiguration',
    'Cluster',
  ),
  validatingAdmissionPolicies: type<ValidatingAdmissionPolicy>(
    admission,
    'validatingadmissionpolicies',
    'ValidatingAdmissionPolicy',
    'Cluster',
  ),
  validatingAdmissionPolicyBindings: type<ValidatingAdmissionPolicyBinding>(
    admission,
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
    'Cluster',
  ),
  validatingWebhookConfigurations: type<ValidatingWebhookConfiguration>(
    admission,
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
    'Cluster',
  ),
  customResourceDefinitions: type<CustomResourceDefinition>(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
    'Cluster',
  ),
} as const
