/** The operator's service account and RBAC rules: those that its surfaces need and the Lease, nothing more. */
import type { KubeObject } from '../../kube/index.ts'
import type { AccessRule } from '../surface.ts'
import { labels, type OperatorId } from './operator-id.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`

export function accessManifests(
  operator: OperatorId,
  rules: readonly AccessRule[],
  ownRules: readonly AccessRule[],
): readonly KubeObject[] {
  const { name, namespace } = operator
  // ClusterRoles have no namespace: without its own name, an installation in another namespace would overwrite these.
  const everywhere = { name: namespace === name ? name : `${name}-${namespace}`, labels: labels(operator) }
  const own = { name, labels: labels(operator), namespace }
  const subject = { kind: 'ServiceAccount', name, namespace }
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: own } as KubeObject,
    ...clusterRights(everywhere, rules, subject),
    { apiVersion, kind: 'Role', metadata: own, rules: [lease, ...ownRules] } as KubeObject,
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: own,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [subject],
    } as KubeObject,
  ]
}

/** What an operator outside the cluster has instead of a service account: rights for the user that it acts as. */
export function userManifests(user: string, rules: readonly AccessRule[]): readonly KubeObject[] {
  // No installation gets this name: its ClusterRole is named after a namespace.
  const metadata = { name: 'carabiner:run', labels: labels({ namespace: '', name: 'carabiner' }) }
  return clusterRights(metadata, rules, { apiGroup, kind: 'User', name: user })
}

function clusterRights(
  metadata: KubeObject['metadata'],
  rules: readonly AccessRule[],
  subject: object,
): readonly KubeObject[] {
  const roleRef = { apiGroup, kind: 'ClusterRole', name: metadata.name }
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules } as KubeObject,
    { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects: [subject] } as KubeObject,
  ]
}

/** The user name the API server knows the operator by. */
export function operatorUser({ name, namespace }: OperatorId): string {
  return `system:serviceaccount:${namespace}:${name}`
}
