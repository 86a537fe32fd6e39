/** RBAC rules for the cluster of the deploy items. Objects on targets are written with the credentials of the targets. */

export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const readVerbs = ['get', 'list', 'watch']
const landscaperGroup = ['landscaper.gardener.cloud']

export const rules: readonly AccessRule[] = [
  {
    apiGroups: landscaperGroup,
    resources: ['deployitems'],
    verbs: [...readVerbs, 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: landscaperGroup, resources: ['executions'], verbs: [...readVerbs, 'patch'] },
  { apiGroups: landscaperGroup, resources: ['deployitems/status', 'executions/status'], verbs: ['update'] },
  { apiGroups: landscaperGroup, resources: ['targets'], verbs: [...readVerbs, 'patch'] },
  { apiGroups: landscaperGroup, resources: ['contexts'], verbs: [...readVerbs, 'create'] },
  // The admission plugin OwnerReferencesPermissionEnforcement requires this right to set blockOwnerDeletion.
  { apiGroups: landscaperGroup, resources: ['deployitems/finalizers', 'executions/finalizers'], verbs: ['update'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: readVerbs },
  // Export secrets, and secrets with kubeconfigs that targets refer to.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete'] },
  // Hooks and container items.
  { apiGroups: ['batch'], resources: ['jobs'], verbs: [...readVerbs, 'create', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: [...readVerbs, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  // The journal: how runs of hooks ended and what they printed.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
  // Service account and rights of the `wait` container, which stores the results of a container item.
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]
