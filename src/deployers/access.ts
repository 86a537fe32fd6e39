/** What deployers must be allowed to do in the cluster of the items. What they install goes through targets, with the targets' rights. */

export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const watched = ['get', 'list', 'watch']
const landscaper = ['landscaper.gardener.cloud']

export const rules: readonly AccessRule[] = [
  { apiGroups: landscaper, resources: ['deployitems'], verbs: [...watched, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: landscaper, resources: ['executions'], verbs: [...watched, 'patch'] },
  { apiGroups: landscaper, resources: ['deployitems/status', 'executions/status'], verbs: ['update'] },
  { apiGroups: landscaper, resources: ['targets'], verbs: watched },
  { apiGroups: landscaper, resources: ['contexts'], verbs: [...watched, 'create'] },
  // Some clusters ask for it of whoever names an owner that waits.
  { apiGroups: landscaper, resources: ['deployitems/finalizers', 'executions/finalizers'], verbs: ['update'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: watched },
  // Exports, and kubeconfigs that targets refer to.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete'] },
  // Hooks and container items.
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'create', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: [...watched, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  // The rights of the container that carries away what a container item leaves.
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]
