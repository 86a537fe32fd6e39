/** Impersonation through `Impersonate-*` headers, for users who are authorized to do so. */
import type { HttpHeaders } from '../../../runtime/index.ts'
import { type AccessQuery, type Authorizer, accessDenied } from '../authz/authorizer.ts'
import { badRequest } from '../status/status-error.ts'
import { serviceAccountGroups } from './tokens.ts'
import type { User } from './user.ts'

/** The effective user: the authenticated one, or the impersonated one if the authorizer allows it. */
export function impersonated(headers: HttpHeaders, user: User, authorizer: Authorizer): User {
  const name = headers['impersonate-user'] ?? ''
  const groups = listOf(headers['impersonate-group'])
  const uid = headers['impersonate-uid'] ?? ''
  const extra = extrasOf(headers)
  if (name === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return user
    throw badRequest(
      `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:[]string{${groups.map((group) => JSON.stringify(group)).join(', ')}}, Extra:map[string][]string(nil)} without impersonating a user name`,
    )
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  if (namespace !== undefined && account !== undefined) {
    requirePermission(authorizer, user, { resource: 'serviceaccounts', namespace, name: account })
  } else requirePermission(authorizer, user, { resource: 'users', name })
  for (const group of groups) requirePermission(authorizer, user, { resource: 'groups', name: group })
  if (uid !== '') requirePermission(authorizer, user, { group: 'authentication.k8s.io', resource: 'uids', name: uid })
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      requirePermission(authorizer, user, {
        group: 'authentication.k8s.io',
        resource: 'userextras',
        subresource: key,
        name: value,
      })
    }
  }
  const own = groups.length > 0 || namespace === undefined ? groups : serviceAccountGroups(namespace)
  return {
    name,
    groups: withAuthenticated(name, own),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

function withAuthenticated(name: string, groups: readonly string[]): readonly string[] {
  if (name === 'system:anonymous')
    return groups.includes('system:unauthenticated') ? groups : [...groups, 'system:unauthenticated']
  if (groups.includes('system:authenticated') || groups.includes('system:unauthenticated')) return groups
  return [...groups, 'system:authenticated']
}

function requirePermission(authorizer: Authorizer, user: User, part: Partial<AccessQuery>): void {
  const query: AccessQuery = {
    verb: 'impersonate',
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    ...part,
  }
  const decision = authorizer.decide(user, query)
  if (!decision.allowed) throw accessDenied(user, query, decision.reason)
}

function listOf(header: string | undefined): readonly string[] {
  return header === undefined || header === '' ? [] : header.split(/,\s*/)
}

function extrasOf(headers: HttpHeaders): Record<string, readonly string[]> {
  const extras: Record<string, readonly string[]> = {}
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith('impersonate-extra-')) continue
    extras[decodeURIComponent(header.slice('impersonate-extra-'.length))] = listOf(value)
  }
  return extras
}
