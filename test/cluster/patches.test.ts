/** The four kinds of patch. */
import { beforeEach, expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import { deployment } from './workloads.ts'

const type = (name: string) => ({ 'content-type': `application/${name}` })

onCluster('patches', (cluster) => {
  let path = ''
  beforeEach(async () => {
    const collection = `/apis/apps/v1/namespaces/${await cluster.namespace()}/deployments`
    await cluster.create(collection, deployment('web', 0))
    path = `${collection}/web`
  })
  const patch = (kind: string, body: unknown, query = '') =>
    cluster.call('PATCH', `${path}${query}`, { headers: type(kind), body })

  it('applies JSON patches and reports the failing operation', async () => {
    const done = await patch('json-patch+json', [
      { op: 'test', path: '/spec/replicas', value: 0 },
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ])
    expect(done.status).toBe(200)
    expect(done.body.metadata.labels).toEqual({ a: 'b' })
    const failed = await patch('json-patch+json', [{ op: 'test', path: '/spec/replicas', value: 9 }])
    expect(failed.status).toBe(422)
    expect(failed.body.reason).toBe('Invalid')
    const missing = await patch('json-patch+json', [{ op: 'remove', path: '/spec/nothing' }])
    expect(missing.status).toBe(422)
  })

  it('applies merge patches, in which null removes fields', async () => {
    await patch('merge-patch+json', { metadata: { labels: { a: '1', b: '2' } } })
    const merged = await patch('merge-patch+json', { metadata: { labels: { a: null, c: '3' } } })
    expect(merged.body.metadata.labels).toEqual({ b: '2', c: '3' })
  })

  it('merges lists by key with strategic merge patch', async () => {
    const add = { spec: { template: { spec: { containers: [{ name: 'side', image: 'example/side:1' }] } } } }
    const added = await patch('strategic-merge-patch+json', add)
    expect(containers(added.body)).toEqual([
      ['side', 'example/side:1'],
      ['main', 'example/app:1'],
    ])
    const change = { spec: { template: { spec: { containers: [{ name: 'main', image: 'example/app:2' }] } } } }
    const changed = await patch('strategic-merge-patch+json', change)
    expect(containers(changed.body)).toEqual([
      ['side', 'example/side:1'],
      ['main', 'example/app:2'],
    ])
    const remove = { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } }
    expect(containers((await patch('strategic-merge-patch+json', remove)).body)).toEqual([['main', 'example/app:2']])
    const retain = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }
    expect((await patch('strategic-merge-patch+json', retain)).body.spec['strategy']).toEqual({ type: 'Recreate' })
  })

  it('checks the resourceVersion of a patch', async () => {
    const stale = await patch('merge-patch+json', { metadata: { resourceVersion: '1', labels: { a: 'b' } } })
    expect(stale.status).toBe(409)
  })

  it('refuses an unknown patch type', async () => {
    const refused = await patch('fancy-patch+json', {})
    expect(refused.status).toBe(415)
    expect(refused.body.reason).toBe('UnsupportedMediaType')
  })

  it('applies server-side: owns fields, reports conflicts, takes over with force, removes omitted fields', async () => {
    const apply = (manager: string, spec: unknown, labels = {}, { force } = { force: false }) => {
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels }, spec }
      return patch('apply-patch+yaml', body, `?fieldManager=${manager}&force=${force}`)
    }
    const first = await apply('one', { minReadySeconds: 5 }, { team: 'a' })
    expect(first.status).toBe(200)
    expect(first.body.metadata.managedFields).toContainEqual({
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      time: expect.any(String),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:team': {} } }, 'f:spec': { 'f:minReadySeconds': {} } },
    })
    const conflict = await apply('two', { minReadySeconds: 6 })
    expect(conflict.status).toBe(409)
    expect(conflict.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.minReadySeconds')
    expect(conflict.body).toMatchObject({
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.minReadySeconds' }],
      },
    })
    const forced = await apply('two', { minReadySeconds: 6 }, {}, { force: true })
    expect(forced.body.spec['minReadySeconds']).toBe(6)
    const less = await apply('two', {})
    expect(less.body.spec['minReadySeconds']).toBeUndefined()
    expect(less.body.metadata.labels).toEqual({ team: 'a' })
  })

  it('creates missing objects with apply', async () => {
    // Only this test writes to a ConfigMap; the controller of a Deployment could write before the second apply.
    const other = `/api/v1/namespaces/${await cluster.namespace()}/configmaps/fresh`
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fresh' }, data: { a: '1' } }
    const created = await cluster.call('PATCH', `${other}?fieldManager=one`, {
      headers: type('apply-patch+yaml'),
      body,
    })
    expect(created.status).toBe(201)
    const again = await cluster.call('PATCH', `${other}?fieldManager=one`, { headers: type('apply-patch+yaml'), body })
    expect(again.status).toBe(200)
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion)
  })

  it('records field managers of other verbs', async () => {
    await patch('merge-patch+json', { spec: { minReadySeconds: 2 } }, '?fieldManager=editor')
    const read = await cluster.call('GET', path)
    expect(read.body.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'editor',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:minReadySeconds': {} } },
      }),
    )
  })
})

function containers(body: { spec: Readonly<Record<string, unknown>> }): [string, string][] {
  const { template } = body.spec as { template: { spec: { containers: { name: string; image: string }[] } } }
  return template.spec.containers.map(({ name, image }) => [name, image])
}
