/**
 * RBAC escalation check: a user who writes roles or bindings must hold all rules in them, or have the verb `escalate`
 * or `bind`.
 */
import type { Attributes } from '../admission/admission.ts'
import type { User } from '../authn/user.ts'
import { at } from '../object.ts'
import { forbidden, notFound } from '../status/status-error.ts'
import { equal } from '../storage/share.ts'
import type { AccessQuery, Authorizer } from './authorizer.ts'
import { formatRule, type Rule, rulesIn } from './rules.ts'
import { uncovered } from './uncovered-rules.ts'

const group = 'rbac.authorization.k8s.io'

export function checkEscalation(authorizer: Authorizer, attributes: Attributes): void {
  const { resource, object, old, user, namespace } = attributes
  if (resource.group !== group || object === undefined || user.groups.includes('system:masters')) return
  if (resource.resource === 'roles' || resource.resource === 'clusterroles') {
    if (
      old !== undefined &&
      equal(old['rules'], object['rules']) &&
      equal(old['aggregationRule'], object['aggregationRule'])
    )
      return
    if (isAllowed(authorizer, attributes, { verb: 'escalate', resource: resource.resource, name: attributes.name }))
      return
    if (at(object, 'aggregationRule') !== undefined) requireRules(authorizer, attributes, everything)
    requireRules(authorizer, attributes, rulesIn(object['rules']))
    return
  }
  if (old !== undefined && equal(old['roleRef'], object['roleRef']) && equal(old['subjects'], object['subjects']))
    return
  const reference = at(object, 'roleRef')
  const kind = at(reference, 'kind') === 'ClusterRole' ? 'clusterroles' : 'roles'
  const name = String(at(reference, 'name'))
  if (isAllowed(authorizer, attributes, { verb: 'bind', resource: kind, name })) return
  const role = authorizer.roleOf(reference, namespace)
  if (role === undefined) throw notFound({ group, resource: kind }, name)
  requireRules(authorizer, attributes, rulesIn(role['rules']))
}

const everything: readonly Rule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

function isAllowed(
  authorizer: Authorizer,
  { user, namespace }: Attributes,
  access: Pick<AccessQuery, 'verb' | 'resource' | 'name'>,
): boolean {
  return authorizer.decide(user, { ...access, group, subresource: '', namespace }).allowed
}

function requireRules(
  authorizer: Authorizer,
  { resource, name, user, namespace }: Attributes,
  wanted: readonly Rule[],
): void {
  const missing = uncovered(authorizer.rulesOf(user, namespace), wanted)
  if (missing.length === 0) return
  const rules = missing.map(formatRule).toSorted().join('\n')
  throw forbidden(
    resource,
    name,
    `user ${JSON.stringify(user.name)} (groups=${groupsOf(user)}) is attempting to grant RBAC permissions not currently held:\n${rules}`,
  )
}

function groupsOf({ groups }: User): string {
  return `[${groups.map((name) => JSON.stringify(name)).join(' ')}]`
}
