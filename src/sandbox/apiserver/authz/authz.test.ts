import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../audit/audit.ts'
import type { User } from '../authn/user.ts'
import { type CallOptions, type Reply, TestCluster } from '../testing/cluster.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
const pods = '/api/v1/namespaces/default/pods'
const apiGroup = 'rbac.authorization.k8s.io'
const alice: User = { name: 'alice', groups: ['devs', 'system:authenticated'] }
const asAlice: CallOptions = { user: alice }

async function grant(cluster: TestCluster, name: string, rules: readonly object[]): Promise<void> {
  await cluster.post(`${rbac}/roles`, { metadata: { name }, rules: rules as [] })
  await bind(cluster, name, { kind: 'Role', name })
}

function bind(cluster: TestCluster, name: string, role: { kind: string; name: string }, user?: User): Promise<Reply> {
  const subjects = [{ apiGroup, kind: 'User', name: 'alice' }]
  const body = { metadata: { name }, roleRef: { apiGroup, ...role }, subjects }
  return cluster.post(`${rbac}/rolebindings`, body, user === undefined ? {} : { user })
}

describe('RBAC', () => {
  it('refuses requests without a grant, in the words of the real API server', async () => {
    const cluster = new TestCluster()
    const listed = await cluster.call('GET', pods, undefined, asAlice)
    expect([listed.status, listed.at('message')]).toEqual([
      403,
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    ])
    const log = await cluster.call('GET', `${pods}/x/log`, undefined, asAlice)
    expect(log.at('message')).toBe(
      'pods "x" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
    )
    const path = await cluster.call('GET', '/metrics', undefined, asAlice)
    expect(path.at('message')).toBe('forbidden: User "alice" cannot get path "/metrics"')
  })

  it('allows requests granted by Roles and ClusterRoles in the namespace of the binding only', async () => {
    const cluster = new TestCluster()
    await grant(cluster, 'reader', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }])
    expect((await cluster.call('GET', pods, undefined, asAlice)).status).toBe(200)
    expect((await cluster.call('GET', '/api/v1/namespaces/kube-system/pods', undefined, asAlice)).status).toBe(403)
    expect((await cluster.call('DELETE', pods, undefined, asAlice)).status).toBe(403)
    await bind(cluster, 'editor', { kind: 'ClusterRole', name: 'edit' })
    expect((await cluster.call('DELETE', pods, undefined, asAlice)).status).toBe(200)
  })

  it('aggregates labelled ClusterRoles', async () => {
    const cluster = new TestCluster()
    await bind(cluster, 'viewer', { kind: 'ClusterRole', name: 'view' })
    const secrets = '/api/v1/namespaces/default/secrets'
    expect((await cluster.call('GET', secrets, undefined, asAlice)).status).toBe(403)
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]
    await cluster.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'more', labels }, rules })
    expect((await cluster.call('GET', secrets, undefined, asAlice)).status).toBe(200)
  })

  it('prevents privilege escalation through roles and bindings', async () => {
    const cluster = new TestCluster()
    await grant(cluster, 'admin', [
      { apiGroups: [apiGroup], resources: ['roles', 'rolebindings'], verbs: ['create'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    ])
    const more = {
      metadata: { name: 'more' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] }],
    }
    const refused = await cluster.post(`${rbac}/roles`, more, asAlice)
    expect(refused.at('message')).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "alice" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    )
    expect((await bind(cluster, 'esc', { kind: 'ClusterRole', name: 'cluster-admin' }, alice)).status).toBe(403)
    const same = { metadata: { name: 'same' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }
    expect((await cluster.post(`${rbac}/roles`, same, asAlice)).status).toBe(201)
  })
})

describe('reviews', () => {
  it('report whether a user is allowed to do something, and why', async () => {
    const cluster = new TestCluster()
    await grant(cluster, 'reader', [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }])
    const ask = async (verb: string) =>
      (
        await cluster.post(
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          { spec: { resourceAttributes: { namespace: 'default', verb, resource: 'pods' } } },
          asAlice,
        )
      ).body['status']
    expect(await ask('get')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "alice"',
    })
    expect(await ask('delete')).toEqual({ allowed: false })
    const rules = await cluster.post(
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      { spec: { namespace: 'default' } },
      asAlice,
    )
    expect(rules.at('status', 'resourceRules')).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })
  })
})

describe('impersonation', () => {
  const asBob = { 'impersonate-user': 'bob', 'impersonate-group': 'devs' }

  it('acts as another user when the authorizer allows it', async () => {
    const entries: AuditEntry[] = []
    const cluster = new TestCluster({ audit: (entry) => entries.push(entry) })
    const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const reply = await cluster.post(self, {}, { headers: asBob })
    expect(reply.at('status', 'userInfo')).toEqual({ username: 'bob', groups: ['devs', 'system:authenticated'] })
    expect([entries[0]?.user.name, entries[0]?.impersonator?.name]).toEqual(['bob', 'kubernetes-admin'])
    const refused = await cluster.call('GET', pods, undefined, { ...asAlice, headers: asBob })
    expect(refused.at('message')).toBe(
      'users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })
})

describe('audit', () => {
  it('records every request with its response code', async () => {
    const entries: AuditEntry[] = []
    const cluster = new TestCluster({ audit: (entry) => entries.push(entry) })
    await cluster.get(`${pods}/x?resourceVersion=0`)
    await cluster.call('GET', pods, undefined, asAlice)
    expect(entries.map(({ user, verb, resource, name, code }) => [user.name, verb, resource, name, code])).toEqual([
      ['kubernetes-admin', 'get', 'pods', 'x', 404],
      ['alice', 'list', 'pods', '', 403],
    ])
    expect(entries[0]).toMatchObject({
      path: `${pods}/x`,
      query: '?resourceVersion=0',
      namespace: 'default',
      userAgent: 'test/1',
    })
  })
})
