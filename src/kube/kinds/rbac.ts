/** Rights and who has them. */
import type { LabelSelector } from '../label-selector.ts'
import type { KubeObject } from '../object.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[]
}

export interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] }
}

export interface Subject {
  /** `User`, `Group` or `ServiceAccount`. */
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: string
}

export interface RoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly subjects?: readonly Subject[]
}

export type ClusterRoleBinding = RoleBinding
