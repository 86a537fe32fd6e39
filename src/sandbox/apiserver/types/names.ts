/** The name validation of built-in kinds. */
import { maskTrailingDash, validateDnsLabel, validateDnsSubdomain, validatePathSegment } from '../selectors/names.ts'

type NameRule = (name: string) => readonly string[]

/** Kinds whose names need not be a DNS subdomain. */
const rules: Readonly<Record<string, NameRule>> = {
  '/Namespace': validateDnsLabel,
  '/Service': validateDnsLabel,
  'rbac.authorization.k8s.io/Role': validatePathSegment,
  'rbac.authorization.k8s.io/ClusterRole': validatePathSegment,
  'rbac.authorization.k8s.io/RoleBinding': validatePathSegment,
  'rbac.authorization.k8s.io/ClusterRoleBinding': validatePathSegment,
}

export function nameRule(group: string, kind: string): (name: string, prefix: boolean) => readonly string[] {
  const rule = rules[`${group}/${kind}`] ?? validateDnsSubdomain
  return (name, prefix) => rule(prefix ? maskTrailingDash(name) : name)
}
