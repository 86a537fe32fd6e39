/** The operator's service account and RBAC rules: those that its surfaces need and the Lease, nothing more. */
import type { KubeObject } from '../../kube/index.ts'
import type { AccessRule } from '../surface.ts'
import { labels, type OperatorId } from './operator-id.ts'

export function accessManifests(
  operator: OperatorId,
  rules: readonly AccessRule[],
  ownRules: readonly AccessRule[],
): readonly KubeObject[] {
  const { name, namespace } = operator
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const apiGroup = 'rbac.authorization.k8s.io'
  // ClusterRoles have no namespace: without its own name, an installation in another namespace would overwrite these.
  const everywhere = { name: namespace === name ? name : `${name}-${namespace}`, labels: labels(operator) }
  const own = { name, labels: labels(operator), namespace }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: own } as KubeObject,
    { apiVersion, kind: 'ClusterRole', metadata: everywhere, rules } as KubeObject,
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: everywhere,
      roleRef: { apiGroup, kind: 'ClusterRole', name: everywhere.name },
      subjects,
    } as KubeObject,
    { apiVersion, kind: 'Role', metadata: own, rules: [lease, ...ownRules] } as KubeObject,
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: own,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects,
    } as KubeObject,
  ]
}

/** The user name the API server knows the operator by. */
export function operatorUser({ name, namespace }: OperatorId): string {
  return `system:serviceaccount:${namespace}:${name}`
}
