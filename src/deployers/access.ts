/**
 * RBAC rules for the cluster of the deploy items: what the library and the Landscaper controllers need, and the sum with what each deployer
 * declares. Objects on targets are written with the credentials of the targets.
 */

export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export const readVerbs: readonly string[] = ['get', 'list', 'watch']
const landscaperGroup = ['landscaper.gardener.cloud']

/** Every deployer: its items, what they refer to, and events about them. */
export const libraryRules: readonly AccessRule[] = [
  { apiGroups: landscaperGroup, resources: ['deployitems'], verbs: [...readVerbs, 'patch'] },
  { apiGroups: landscaperGroup, resources: ['deployitems/status'], verbs: ['update'] },
  // Targets in use get a finalizer.
  { apiGroups: landscaperGroup, resources: ['targets'], verbs: [...readVerbs, 'patch'] },
  { apiGroups: landscaperGroup, resources: ['contexts', 'executions'], verbs: readVerbs },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]

/** The controllers of executions, timeouts and default Contexts. */
export const landscaperRules: readonly AccessRule[] = [
  { apiGroups: landscaperGroup, resources: ['deployitems'], verbs: ['create', 'update', 'delete'] },
  { apiGroups: landscaperGroup, resources: ['executions'], verbs: ['patch'] },
  { apiGroups: landscaperGroup, resources: ['executions/status'], verbs: ['update'] },
  // The admission plugin OwnerReferencesPermissionEnforcement requires this right to set blockOwnerDeletion.
  { apiGroups: landscaperGroup, resources: ['executions/finalizers'], verbs: ['update'] },
  { apiGroups: landscaperGroup, resources: ['contexts'], verbs: ['create'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: readVerbs },
]

/** Export secrets, and secrets with the kubeconfigs and registry credentials that Targets, items and Contexts refer to. */
export const secretRules: readonly AccessRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch'] },
  // The item owns its export secret; see executions/finalizers.
  { apiGroups: landscaperGroup, resources: ['deployitems/finalizers'], verbs: ['update'] },
]

/** Hooks of configuration: the journal of how their runs ended and what they printed. */
export const hookRules: readonly AccessRule[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
]

export const jobHookRules: readonly AccessRule[] = [
  { apiGroups: ['batch'], resources: ['jobs'], verbs: [...readVerbs, 'create', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: readVerbs },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
]

/** One rule for each resource, with the verbs of all rules about it. */
export function sumOfRules(rules: readonly AccessRule[]): readonly AccessRule[] {
  const verbs = new Map<string, Set<string>>()
  for (const rule of rules)
    for (const group of rule.apiGroups)
      for (const resource of rule.resources) {
        const key = `${group} ${resource}`
        const known = verbs.get(key) ?? new Set()
        for (const verb of rule.verbs) known.add(verb)
        verbs.set(key, known)
      }
  return [...verbs].map(([key, all]) => {
    const [group = '', resource = ''] = key.split(' ')
    return { apiGroups: [group], resources: [resource], verbs: [...all] }
  })
}
