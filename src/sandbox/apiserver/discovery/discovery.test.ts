import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { TestCluster } from '../testing/cluster.ts'
import { compareVersions } from './groups.ts'

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`

describe('discovery', () => {
  it('lists groups, versions and resources', async () => {
    const cluster = new TestCluster({ address: '127.0.0.1:1234' })
    expect((await cluster.get('/api')).body).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:1234' }],
    })
    const groups = (await cluster.get('/apis')).body['groups'] as readonly { name: string }[]
    expect(groups.map(({ name }) => name)).toContain('apps')
    expect((await cluster.get('/apis/apps')).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    })
    const apps = (await cluster.get('/apis/apps/v1')).body['resources'] as readonly JsonObject[]
    expect(apps.find(({ name }) => name === 'deployments')).toMatchObject({
      kind: 'Deployment',
      shortNames: ['deploy'],
    })
    expect(apps.find(({ name }) => name === 'deployments/scale')).toMatchObject({ group: 'autoscaling', kind: 'Scale' })
  })

  it('serves aggregated discovery when requested', async () => {
    const cluster = new TestCluster()
    const ask = (path: string, accept: string, more = {}) =>
      cluster.call('GET', path, undefined, { headers: { accept, ...more } })
    const v2 = await ask('/apis', aggregated('v2'))
    expect(v2.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')
    expect([v2.body['kind'], v2.body['apiVersion']]).toEqual(['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2'])
    expect((await ask('/api', aggregated('v2beta1'))).body['apiVersion']).toBe('apidiscovery.k8s.io/v2beta1')
    expect((await ask('/apis', 'application/json')).body['kind']).toBe('APIGroupList')
    const unchanged = await ask('/apis', aggregated('v2'), { 'if-none-match': v2.headers['etag'] ?? '' })
    expect(unchanged.status).toBe(304)
  })

  it('serves version and health', async () => {
    const cluster = new TestCluster()
    expect((await cluster.get('/version')).at('gitVersion')).toMatch(/^v1\.35\./)
    expect((await cluster.get('/healthz')).text).toBe('ok')
    expect((await cluster.get('/readyz?verbose')).text).toMatch(/^\[\+\]ping ok\n(.*\n)*readyz check passed\n$/)
    expect((await cluster.get('/livez/ping')).text).toBe('ok')
  })

  it('responds 404 for unknown paths', async () => {
    const cluster = new TestCluster()
    expect((await cluster.get('/nothing')).text).toBe('404 page not found\n')
    expect((await cluster.get('/api/v1/nothing')).at('message')).toBe(
      'the server could not find the requested resource',
    )
    expect((await cluster.call('PUT', '/api/v1/namespaces')).status).toBe(405)
  })

  it('requires a namespace in the path for namespaced resources only', async () => {
    const cluster = new TestCluster()
    expect((await cluster.get('/api/v1/pods')).status).toBe(200)
    expect((await cluster.post('/api/v1/pods', {})).status).toBe(405)
    expect((await cluster.get('/api/v1/pods/x')).at('message')).toBe('the server could not find the requested resource')
    expect((await cluster.get('/api/v1/namespaces/default/nodes')).status).toBe(404)
    expect((await cluster.get('/api/v1/namespaces/default')).status).toBe(200)
  })
})

describe('versions', () => {
  it('are preferred from stable to experimental, newest first', () => {
    const versions = ['v1alpha1', 'v10', 'foo', 'v2', 'v1beta2', 'v1beta10', 'v1', 'bar']
    expect(versions.toSorted((left, right) => compareVersions(right, left))).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta10',
      'v1beta2',
      'v1alpha1',
      'bar',
      'foo',
    ])
  })
})
