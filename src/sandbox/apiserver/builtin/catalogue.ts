/**
 * The built-in resources as discovery describes them: names, scope, verbs and subresources. One line each; what their fields mean
 * is elsewhere.
 */
import type { StorageKey, Subresource, Verb } from '../resource.ts'

export interface CatalogueEntry {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  readonly storage: StorageKey
  /** `metadata.generation` counts changes of everything but metadata and status. */
  readonly generation: boolean
}

const everything: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const revised: readonly Verb[] = ['get', 'patch', 'update']

interface Extras {
  readonly short?: string
  readonly categories?: string
  readonly scope?: 'cluster'
  readonly verbs?: readonly Verb[]
  readonly status?: boolean
  readonly scale?: boolean
  readonly more?: readonly Subresource[]
  readonly generation?: boolean
  readonly storage?: StorageKey
}

function entry(apiVersion: string, resource: string, kind: string, extras: Extras = {}): CatalogueEntry {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion]
  const subresources: Subresource[] = [...(extras.more ?? [])]
  if (extras.scale === true) subresources.push(scale)
  if (extras.status === true) subresources.push({ name: 'status', verbs: revised, group, version, kind })
  subresources.sort((left, right) => (left.name < right.name ? -1 : 1))
  return {
    group,
    version,
    resource,
    kind,
    singular: kind.toLowerCase(),
    shortNames: extras.short?.split(',') ?? [],
    categories: extras.categories?.split(',') ?? [],
    namespaced: extras.scope !== 'cluster',
    verbs: extras.verbs ?? everything,
    subresources,
    storage: extras.storage ?? { group, resource, apiVersion, kind },
    generation: extras.generation ?? false,
  }
}

const scale: Subresource = {
  name: 'scale',
  verbs: revised,
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
}

function sub(name: string, verbs: readonly Verb[], apiVersion: string, kind: string): Subresource {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion]
  return { name, verbs, group, version, kind }
}

const connect: readonly Verb[] = ['create', 'get']
const proxied: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update']
const cluster = 'cluster'
const events: StorageKey = { group: '', resource: 'events', apiVersion: 'v1', kind: 'Event' }
const autoscalers: StorageKey = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
}
const admission = 'admissionregistration.k8s.io/v1'
const authorization = 'authorization.k8s.io/v1'
const networking = 'networking.k8s.io/v1'
const rbac = 'rbac.authorization.k8s.io/v1'
const storage = 'storage.k8s.io/v1'

export const catalogue: readonly CatalogueEntry[] = [
  entry('v1', 'bindings', 'Binding', { verbs: ['create'] }),
  entry('v1', 'configmaps', 'ConfigMap', { short: 'cm' }),
  entry('v1', 'endpoints', 'Endpoints', { short: 'ep' }),
  entry('v1', 'events', 'Event', { short: 'ev' }),
  entry('v1', 'limitranges', 'LimitRange', { short: 'limits' }),
  entry('v1', 'namespaces', 'Namespace', {
    short: 'ns',
    scope: cluster,
    verbs: everything.filter((verb) => verb !== 'deletecollection'),
    status: true,
    more: [sub('finalize', ['update'], 'v1', 'Namespace')],
  }),
  entry('v1', 'nodes', 'Node', {
    short: 'no',
    scope: cluster,
    status: true,
    more: [sub('proxy', proxied, 'v1', 'NodeProxyOptions')],
  }),
  entry('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', { short: 'pvc', status: true }),
  entry('v1', 'persistentvolumes', 'PersistentVolume', { short: 'pv', scope: cluster, status: true }),
  entry('v1', 'pods', 'Pod', {
    short: 'po',
    categories: 'all',
    status: true,
    generation: true,
    more: [
      sub('attach', connect, 'v1', 'PodAttachOptions'),
      sub('binding', ['create'], 'v1', 'Binding'),
      sub('ephemeralcontainers', revised, 'v1', 'Pod'),
      sub('eviction', ['create'], 'policy/v1', 'Eviction'),
      sub('exec', connect, 'v1', 'PodExecOptions'),
      sub('log', ['get'], 'v1', 'Pod'),
      sub('portforward', connect, 'v1', 'PodPortForwardOptions'),
      sub('proxy', proxied, 'v1', 'PodProxyOptions'),
      sub('resize', revised, 'v1', 'Pod'),
    ],
  }),
  entry('v1', 'podtemplates', 'PodTemplate', { generation: true }),
  entry('v1', 'replicationcontrollers', 'ReplicationController', {
    short: 'rc',
    categories: 'all',
    status: true,
    scale: true,
    generation: true,
  }),
  entry('v1', 'resourcequotas', 'ResourceQuota', { short: 'quota', status: true }),
  entry('v1', 'secrets', 'Secret'),
  entry('v1', 'serviceaccounts', 'ServiceAccount', {
    short: 'sa',
    more: [sub('token', ['create'], 'authentication.k8s.io/v1', 'TokenRequest')],
  }),
  entry('v1', 'services', 'Service', {
    short: 'svc',
    categories: 'all',
    status: true,
    more: [sub('proxy', proxied, 'v1', 'ServiceProxyOptions')],
  }),
  entry('apps/v1', 'controllerrevisions', 'ControllerRevision'),
  entry('apps/v1', 'daemonsets', 'DaemonSet', { short: 'ds', categories: 'all', status: true, generation: true }),
  entry('apps/v1', 'deployments', 'Deployment', {
    short: 'deploy',
    categories: 'all',
    status: true,
    scale: true,
    generation: true,
  }),
  entry('apps/v1', 'replicasets', 'ReplicaSet', {
    short: 'rs',
    categories: 'all',
    status: true,
    scale: true,
    generation: true,
  }),
  entry('apps/v1', 'statefulsets', 'StatefulSet', {
    short: 'sts',
    categories: 'all',
    status: true,
    scale: true,
    generation: true,
  }),
  entry('events.k8s.io/v1', 'events', 'Event', { short: 'ev', storage: events }),
  entry('authentication.k8s.io/v1', 'selfsubjectreviews', 'SelfSubjectReview', { scope: cluster, verbs: ['create'] }),
  entry('authentication.k8s.io/v1', 'tokenreviews', 'TokenReview', { scope: cluster, verbs: ['create'] }),
  entry(authorization, 'localsubjectaccessreviews', 'LocalSubjectAccessReview', { verbs: ['create'] }),
  entry(authorization, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', { scope: cluster, verbs: ['create'] }),
  entry(authorization, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', { scope: cluster, verbs: ['create'] }),
  entry(authorization, 'subjectaccessreviews', 'SubjectAccessReview', { scope: cluster, verbs: ['create'] }),
  entry('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    short: 'hpa',
    categories: 'all',
    status: true,
    storage: autoscalers,
  }),
  entry('batch/v1', 'cronjobs', 'CronJob', { short: 'cj', categories: 'all', status: true, generation: true }),
  entry('batch/v1', 'jobs', 'Job', { categories: 'all', status: true, generation: true }),
  entry(networking, 'ingressclasses', 'IngressClass', { scope: cluster, generation: true }),
  entry(networking, 'ingresses', 'Ingress', { short: 'ing', status: true, generation: true }),
  entry(networking, 'networkpolicies', 'NetworkPolicy', { short: 'netpol', generation: true }),
  entry('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', { short: 'pdb', status: true, generation: true }),
  entry(rbac, 'clusterrolebindings', 'ClusterRoleBinding', { scope: cluster }),
  entry(rbac, 'clusterroles', 'ClusterRole', { scope: cluster }),
  entry(rbac, 'rolebindings', 'RoleBinding'),
  entry(rbac, 'roles', 'Role'),
  entry(storage, 'csidrivers', 'CSIDriver', { scope: cluster }),
  entry(storage, 'csinodes', 'CSINode', { scope: cluster }),
  entry(storage, 'storageclasses', 'StorageClass', { short: 'sc', scope: cluster }),
  entry(storage, 'volumeattachments', 'VolumeAttachment', { scope: cluster, status: true }),
  entry(admission, 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', {
    categories: 'api-extensions',
    scope: cluster,
    generation: true,
  }),
  entry(admission, 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', {
    categories: 'api-extensions',
    scope: cluster,
    generation: true,
  }),
  entry('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
    short: 'crd,crds',
    categories: 'api-extensions',
    scope: cluster,
    status: true,
    generation: true,
  }),
  entry('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', { short: 'pc', scope: cluster, generation: true }),
  entry('coordination.k8s.io/v1', 'leases', 'Lease'),
  entry('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass', { scope: cluster }),
  entry('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', { generation: true }),
]
