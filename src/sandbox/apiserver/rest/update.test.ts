import { describe, expect, it } from 'vitest'
import { deploymentNamed, jsonPatch, merge, strategic, TestCluster } from '../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const deployments = '/apis/apps/v1/namespaces/default/deployments'

async function withConfigMap(): Promise<TestCluster> {
  const cluster = new TestCluster()
  await cluster.post(configMaps, { metadata: { name: 'a' }, data: { k: '1' } })
  return cluster
}

describe('update', () => {
  it('responds 409 for a stale resourceVersion', async () => {
    const cluster = await withConfigMap()
    const seen = await cluster.get(`${configMaps}/a`)
    const changed = await cluster.call('PUT', `${configMaps}/a`, { ...seen.body, data: { k: '2' } })
    expect(changed.status).toBe(200)
    const stale = await cluster.call('PUT', `${configMaps}/a`, { ...seen.body, data: { k: '3' } })
    expect(stale.status).toBe(409)
    expect(stale.at('message')).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('keeps the resourceVersion when nothing changes', async () => {
    const cluster = await withConfigMap()
    const seen = await cluster.get(`${configMaps}/a`)
    const same = await cluster.call('PUT', `${configMaps}/a`, seen.body)
    expect(same.at('metadata', 'resourceVersion')).toBe(seen.at('metadata', 'resourceVersion'))
  })

  it('refuses another name, another uid and changes of immutable metadata', async () => {
    const cluster = await withConfigMap()
    const renamed = await cluster.call('PUT', `${configMaps}/a`, { metadata: { name: 'b' } })
    expect(renamed.at('message')).toBe('the name of the object (b) does not match the name on the URL (a)')
    const other = await cluster.call('PUT', `${configMaps}/a`, { metadata: { name: 'a', uid: 'other' } })
    expect(other.status).toBe(409)
    const born = await cluster.patch(`${configMaps}/a`, { metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } })
    expect(born.at('message')).toContain('metadata.creationTimestamp: Invalid value')
  })

  it('creates missing objects only for kinds that allow create on update', async () => {
    const cluster = new TestCluster()
    expect((await cluster.call('PUT', `${configMaps}/new`, { metadata: { name: 'new' } })).status).toBe(404)
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    expect((await cluster.call('PUT', `${leases}/new`, { metadata: { name: 'new' } })).status).toBe(201)
    const blind = await cluster.call('PUT', `${leases}/new`, {
      metadata: { name: 'new' },
      spec: { holderIdentity: 'x' },
    })
    expect(blind.at('message')).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update')
  })

  it('increases the generation for spec changes only', async () => {
    const cluster = new TestCluster()
    await cluster.post(deployments, deploymentNamed('web'))
    const generation = async (): Promise<unknown> =>
      (await cluster.get(`${deployments}/web`)).at('metadata', 'generation')
    await cluster.patch(`${deployments}/web`, { metadata: { labels: { x: 'y' } } })
    expect(await generation()).toBe(1)
    await cluster.patch(`${deployments}/web`, { spec: { replicas: 5 } })
    expect(await generation()).toBe(2)
    await cluster.patch(`${deployments}/web/status`, { status: { replicas: 5 } })
    expect(await generation()).toBe(2)
  })

  it('separates status and spec writes', async () => {
    const cluster = new TestCluster()
    await cluster.post(deployments, { ...deploymentNamed('web'), status: { replicas: 9 } })
    const main = await cluster.patch(`${deployments}/web`, { status: { replicas: 9 } })
    expect(main.at('status', 'replicas')).toBeUndefined()
    const status = await cluster.patch(`${deployments}/web/status`, { spec: { replicas: 9 }, status: { replicas: 3 } })
    expect([status.at('spec', 'replicas'), status.at('status', 'replicas')]).toEqual([2, 3])
  })
})

describe('patch', () => {
  it('supports JSON patch, merge patch and strategic merge patch', async () => {
    const cluster = new TestCluster()
    await cluster.post(deployments, deploymentNamed('web'))
    const containers = [{ name: 'side', image: 'side:1' }]
    const added = await cluster.patch(`${deployments}/web`, { spec: { template: { spec: { containers } } } }, strategic)
    const names = (added.at('spec', 'template', 'spec', 'containers') as readonly { name: string }[]).map(
      ({ name }) => name,
    )
    expect(names.toSorted()).toEqual(['main', 'side'])
    const replaced = await cluster.patch(
      `${deployments}/web`,
      [{ op: 'replace', path: '/spec/replicas', value: 7 }],
      jsonPatch,
    )
    expect(replaced.at('spec', 'replicas')).toBe(7)
    const merged = await cluster.patch(`${deployments}/web`, { metadata: { labels: { app: null, b: 'c' } } }, merge)
    expect(merged.at('metadata', 'labels')).toEqual({ b: 'c' })
  })

  it('refuses a patch that does not apply and an unknown patch type', async () => {
    const cluster = await withConfigMap()
    const unfit = await cluster.patch(`${configMaps}/a`, [{ op: 'remove', path: '/data/zzz' }], jsonPatch)
    expect([unfit.status, unfit.at('reason')]).toEqual([422, 'Invalid'])
    expect((await cluster.patch(`${configMaps}/a`, {}, 'application/json')).status).toBe(415)
  })

  it('creates objects with server-side apply and reports conflicts with other managers', async () => {
    const cluster = new TestCluster()
    const apply = (manager: string, k: string, force = '') =>
      cluster.patch(
        `${configMaps}/a?fieldManager=${manager}${force}`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k } },
        'application/apply-patch+yaml',
      )
    expect((await apply('one', '1')).status).toBe(201)
    const conflict = await apply('two', '2')
    expect(conflict.at('message')).toBe('Apply failed with 1 conflict: conflict with "one": .data.k')
    expect((await apply('two', '2', '&force=true')).at('data', 'k')).toBe('2')
    const unnamed = await cluster.patch(
      `${configMaps}/a`,
      { apiVersion: 'v1', kind: 'ConfigMap' },
      'application/apply-patch+yaml',
    )
    expect([unnamed.status, unnamed.at('details', 'causes', '0')]).toEqual([422, undefined])
    expect(unnamed.at('message')).toContain('fieldManager: Required value: is required for apply patch')
  })
})
