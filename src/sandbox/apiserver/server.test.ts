import { describe, expect, it } from 'vitest'
import { TestCluster } from './testing/cluster.ts'

const things = '/apis/example.org/v1/namespaces/default/things'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.org' },
  spec: {
    ...{ group: 'example.org', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}
const thing = (name: string) => ({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name } })

async function firstCluster(): Promise<TestCluster> {
  const first = new TestCluster()
  await first.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await first.call('POST', things, thing('one'))
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'few' },
    spec: { hard: { configmaps: '1' } },
  }
  await first.call('POST', '/api/v1/namespaces/default/resourcequotas', quota)
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }
  await first.call('POST', '/api/v1/namespaces/default/configmaps', map)
  return first
}

describe('a server started from the state of another', () => {
  it('has the same objects, serves the same custom resources and enforces the same quotas', async () => {
    const first = await firstCluster()
    const second = new TestCluster({ state: first.server.state }, 2)
    for (const path of [
      things,
      '/api/v1/namespaces',
      '/api/v1/namespaces/default/resourcequotas',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ])
      expect((await second.call('GET', path)).body).toEqual((await first.call('GET', path)).body)
    const another = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two' } }
    expect((await second.call('POST', '/api/v1/namespaces/default/configmaps', another)).status).toBe(403)
  })

  it('continues the resourceVersion, has no history and does not change the other server', async () => {
    const first = await firstCluster()
    const state = first.server.state
    const second = new TestCluster({ state }, 2)
    const before = (await first.call('GET', things)).text
    const added = await second.call('POST', things, thing('two'))
    expect(Number(added.at('metadata', 'resourceVersion'))).toBe(state.revision + 1)
    const old = await second.call('GET', `${things}?watch=true&resourceVersion=1&timeoutSeconds=1`)
    expect(old.text).toContain('too old resource version')
    expect((await first.call('GET', things)).text).toBe(before)
  })
})
