/** The RBAC authorizer. Roles and bindings are read from storage and cached until one of them changes. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import type { User } from '../authn/user.ts'
import { type ApiObject, at } from '../object.ts'
import { forbidden, StatusError } from '../status/status-error.ts'
import type { Collection } from '../storage/collection.ts'
import type { Store } from '../storage/store.ts'
import { allowsPath, allowsResource, type ResourceAccess, type Rule, rulesIn } from './rules.ts'

export interface AccessQuery extends ResourceAccess {
  readonly namespace: string
  /** Set for non-resource requests. */
  readonly path?: string
}

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** A binding that applies to a user, with the rules of its role. */
export interface Grant {
  /** Empty for grants of a ClusterRoleBinding. */
  readonly namespace: string
  readonly rules: readonly Rule[]
  readonly reason: string
  /** Set to the name of the role when it does not exist. */
  readonly missing?: string
}

const group = 'rbac.authorization.k8s.io'

export class Authorizer {
  readonly #collections: Readonly<Record<'clusterRoles' | 'roles' | 'clusterBindings' | 'bindings', Collection>>
  #grants = new Map<string, readonly Grant[]>()
  #seen = ''

  constructor(store: Store) {
    this.#collections = {
      clusterRoles: store.collection({ group, resource: 'clusterroles' }),
      roles: store.collection({ group, resource: 'roles' }),
      clusterBindings: store.collection({ group, resource: 'clusterrolebindings' }),
      bindings: store.collection({ group, resource: 'rolebindings' }),
    }
  }

  decide(user: User, query: AccessQuery): Decision {
    if (user.groups.includes('system:masters')) return { allowed: true, reason: '' }
    const faults: string[] = []
    for (const grant of this.grantsOf(user)) {
      if (grant.namespace !== '' && grant.namespace !== query.namespace) continue
      if (grant.missing !== undefined) faults.push(`${grant.missing} not found`)
      const { path } = query
      const allowed = grant.rules.some((rule) =>
        path === undefined ? allowsResource(rule, query) : grant.namespace === '' && allowsPath(rule, query.verb, path),
      )
      if (allowed) return { allowed, reason: grant.reason }
    }
    const unique = [...new Set(faults)]
    const reason = unique.length === 0 ? '' : `RBAC: ${unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`}`
    return { allowed: false, reason }
  }

  /** The rules of a user in a namespace, with the cluster-wide ones. */
  rulesOf(user: User, namespace: string): readonly Rule[] {
    return this.grantsOf(user)
      .filter((grant) => grant.namespace === '' || grant.namespace === namespace)
      .flatMap((grant) => grant.rules)
  }

  grantsOf(user: User): readonly Grant[] {
    const seen = Object.values(this.#collections)
      .map(({ lastRevision }) => lastRevision)
      .join()
    if (seen !== this.#seen) {
      this.#seen = seen
      this.#grants = new Map()
    }
    const key = JSON.stringify([user.name, user.groups])
    const known = this.#grants.get(key)
    if (known !== undefined) return known
    const grants = this.#read(user)
    this.#grants.set(key, grants)
    return grants
  }

  #read(user: User): readonly Grant[] {
    const grants: Grant[] = []
    for (const [, { object }] of this.#collections.clusterBindings.range('')) this.#collect(grants, user, object, '')
    for (const [, { object }] of this.#collections.bindings.range('')) {
      this.#collect(grants, user, object, object.metadata.namespace ?? '')
    }
    return grants
  }

  #collect(grants: Grant[], user: User, binding: ApiObject, namespace: string): void {
    const subjects = at(binding, 'subjects')
    if (!Array.isArray(subjects)) return
    const subject = (subjects as readonly Json[]).find((candidate) => isSubject(candidate, user, namespace))
    if (subject === undefined) return
    const role = this.roleOf(at(binding, 'roleRef'), namespace)
    const name = String(at(binding, 'roleRef', 'name'))
    const kind = String(at(binding, 'roleRef', 'kind'))
    const shown = namespace === '' ? binding.metadata.name : `${binding.metadata.name}/${namespace}`
    const reason = `RBAC: allowed by ${namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'} ${JSON.stringify(shown)} of ${kind} ${JSON.stringify(name)} to ${describe(subject)}`
    const missing = { missing: `${kind.toLowerCase()}.${group} ${JSON.stringify(name)}` }
    grants.push({ namespace, rules: rulesIn(at(role, 'rules')), reason, ...(role === undefined ? missing : {}) })
  }

  roleOf(reference: Json | undefined, namespace: string): ApiObject | undefined {
    const name = String(at(reference, 'name'))
    const { clusterRoles, roles } = this.#collections
    return at(reference, 'kind') === 'ClusterRole'
      ? clusterRoles.get(name)?.object
      : roles.get(`${namespace}/${name}`)?.object
  }
}

function isSubject(subject: Json, user: User, namespace: string): boolean {
  if (!isJsonObject(subject)) return false
  const name = String(subject['name'])
  switch (subject['kind']) {
    case 'User':
      return name === user.name
    case 'Group':
      return user.groups.includes(name)
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${String(subject['namespace'] || namespace)}:${name}`
    default:
      return false
  }
}

function describe(subject: Json): string {
  const name = String(at(subject, 'name'))
  const namespace = at(subject, 'namespace')
  return `${String(at(subject, 'kind'))} ${JSON.stringify(typeof namespace === 'string' && namespace !== '' ? `${name}/${namespace}` : name)}`
}

/** The 403 response for a denied request. */
export function accessDenied(user: User, query: AccessQuery, reason: string): StatusError {
  const because = reason === '' ? '' : `: ${reason}`
  const who = `User ${JSON.stringify(user.name)} cannot ${query.verb}`
  if (query.path !== undefined) {
    return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(query.path)}${because}`, {})
  }
  const resource = query.subresource === '' ? query.resource : `${query.resource}/${query.subresource}`
  const where = query.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(query.namespace)}`
  const what = `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(query.group)} ${where}`
  return forbidden(query, query.name, `${who} ${what}${because}`)
}
