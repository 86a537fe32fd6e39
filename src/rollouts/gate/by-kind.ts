/**
 * The kinds of workloads in the admission policies. The API server goes through all policies for every write of anything in the cluster, and
 * parses the selector of each again: a policy for all kinds costs everybody else a third of one for each.
 */
export type GatedResource = 'deployments' | 'statefulsets' | 'daemonsets'
export type ByKind<T> = Readonly<Record<GatedResource, T>>

/** CEL that evaluates the expression of the kind that is written, and no other: they are about fields that only their kind has. */
export function byKind<T>(kinds: ByKind<T>, expression: (kind: T) => string): string {
  const { deployments, statefulsets, daemonsets } = kinds
  const is = (resource: GatedResource) => `request.resource.resource == '${resource}'`
  return `(${is('deployments')} ? (${expression(deployments)}) : ${is('statefulsets')} ? (${expression(statefulsets)}) : (${expression(daemonsets)}))`
}

const ruleFor = (operations: readonly string[], resources: readonly GatedResource[]) => ({
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  operations,
  resources,
})

/** Writes to what is there already. */
export const updates = [ruleFor(['UPDATE'], ['deployments', 'statefulsets', 'daemonsets'])]
/** Creation too, where it can be held: pods of a new StatefulSet or DaemonSet are made at once. */
export const holdable = [
  ruleFor(['CREATE', 'UPDATE'], ['deployments']),
  ruleFor(['UPDATE'], ['statefulsets', 'daemonsets']),
]

/**
 * Writes that have the label before or after, beside those that have `other` then. A workload that has nothing to do with us never meets an
 * expression of ours: it costs nothing there, and nothing that goes wrong here can stop it.
 */
export function writesWith(resourceRules: typeof updates, label: string, other?: string): object {
  const without = other === undefined ? [] : [{ key: other, operator: 'DoesNotExist' }]
  return {
    resourceRules,
    objectSelector: { matchExpressions: [{ key: label, operator: 'Exists' }, ...without] },
  }
}
