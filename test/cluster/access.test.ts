/** Access control: tokens, roles, impersonation, reviews. */
import { expect, it } from 'vitest'
import { pollUntil } from './poll-until.ts'
import { type Cluster, onCluster } from './suite.ts'
import { call } from './target.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'

async function tokenFor(cluster: Cluster, ns: string, account: string): Promise<string> {
  await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: account } })
  const request = await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts/${account}/token`, {
    spec: { expirationSeconds: 3600 },
  })
  return (request.status as { token: string }).token
}

async function allow(cluster: Cluster, ns: string, account: string, verbs: string[]): Promise<void> {
  await cluster.create(`${rbac}/namespaces/${ns}/roles`, {
    metadata: { name: account },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
  })
  await cluster.create(`${rbac}/namespaces/${ns}/rolebindings`, {
    metadata: { name: account },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: ns }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
  })
}

onCluster('access', (cluster) => {
  it('refuses unknown tokens and anonymous requests', async () => {
    const wrong = await call({ ...cluster.target, token: 'nonsense' }, 'GET', '/api/v1/namespaces')
    expect(wrong.status).toBe(401)
    expect(wrong.body).toMatchObject({ reason: 'Unauthorized', message: 'Unauthorized' })
    const anonymous = await call({ ...cluster.target, token: '' }, 'GET', '/api/v1/namespaces')
    expect(anonymous.status).toBe(403)
    expect(anonymous.body.message).toBe(
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    )
    expect((await call({ ...cluster.target, token: '' }, 'GET', '/healthz')).text).toBe('ok')
  })

  it('grants a service account exactly the permissions of its role', async () => {
    const ns = await cluster.namespace()
    const as = { ...cluster.target, token: await tokenFor(cluster, ns, 'reader') }
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const before = await call(as, 'GET', path)
    expect(before.status).toBe(403)
    expect(before.body.message).toBe(
      `configmaps is forbidden: User "system:serviceaccount:${ns}:reader" cannot list resource "configmaps" in API group "" in the namespace "${ns}"`,
    )
    await allow(cluster, ns, 'reader', ['get', 'list'])
    await pollUntil(
      'the new permission',
      () => call(as, 'GET', path),
      ({ status }) => status === 200,
    )
    const written = await call(as, 'POST', path, { body: { metadata: { name: 'a' } } })
    expect(written.status).toBe(403)
    expect((await call(as, 'GET', '/api/v1/namespaces/default/configmaps')).status).toBe(403)
  })

  it('supports impersonation', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' }
    const review = await cluster.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      headers,
      body: {},
    })
    expect(review.body).toMatchObject({
      status: { userInfo: { username: 'jane', groups: ['dev', 'system:authenticated'] } },
    })
    const refused = await cluster.call('GET', '/api/v1/namespaces', { headers })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('User "jane" cannot list')
  })

  it('reviews access of the user and of others', async () => {
    const self = await cluster.create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } },
    })
    expect(self.status).toMatchObject({ allowed: true })
    const other = await cluster.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user: 'jane', resourceAttributes: { verb: 'delete', resource: 'nodes' } },
    })
    expect(other.status).toMatchObject({ allowed: false })
  })

  it('reviews tokens', async () => {
    const ns = await cluster.namespace()
    const token = await tokenFor(cluster, ns, 'robot')
    const good = await cluster.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })
    expect(good.status).toMatchObject({ authenticated: true, user: { username: `system:serviceaccount:${ns}:robot` } })
    const bad = await cluster.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense' } })
    expect(bad.status).not.toHaveProperty('authenticated', true)
  })

  it('prevents privilege escalation', async () => {
    const ns = await cluster.namespace()
    await cluster.create(`${rbac}/namespaces/${ns}/roles`, {
      metadata: { name: 'maker' },
      rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }],
    })
    await cluster.create(`${rbac}/namespaces/${ns}/rolebindings`, {
      metadata: { name: 'maker' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maker' },
    })
    const body = { metadata: { name: 'mighty' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] }
    const asJane = () =>
      cluster.call('POST', `${rbac}/namespaces/${ns}/roles`, { headers: { 'impersonate-user': 'jane' }, body })
    const refused = await pollUntil('the right to create roles', asJane, ({ body: { message } }) => {
      return !message.includes('cannot create')
    })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('is attempting to grant RBAC permissions not currently held')
  })
})
