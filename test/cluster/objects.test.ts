/** Objects one by one: identity, versions, generations, locking, deletion. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import { deployment, mergePatch, podTemplate } from './workloads.ts'

onCluster('objects', (cluster) => {
  const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data })

  it('sets the identity of a new object', async () => {
    const ns = await cluster.namespace()
    const created = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a', { k: 'v' }))
    expect(created).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: ns },
      data: { k: 'v' },
    })
    expect(created.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0)
    const read = await cluster.call('GET', `/api/v1/namespaces/${ns}/configmaps/a`)
    expect(read.body).toEqual(created)
  })

  it('refuses a second object of the same name', async () => {
    const ns = await cluster.namespace()
    await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a'))
    const again = await cluster.call('POST', `/api/v1/namespaces/${ns}/configmaps`, { body: configMap('a') })
    expect(again.status).toBe(409)
    expect(again.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" already exists',
      reason: 'AlreadyExists',
      details: { name: 'a', kind: 'configmaps' },
      code: 409,
    })
  })

  it('responds 404 with kind and name', async () => {
    const missing = await cluster.call('GET', '/apis/apps/v1/namespaces/default/deployments/absent')
    expect(missing.status).toBe(404)
    expect(missing.body).toMatchObject({
      message: 'deployments.apps "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', group: 'apps', kind: 'deployments' },
    })
    const unknown = await cluster.call('GET', '/apis/nowhere.example/v1/things')
    expect(unknown.status).toBe(404)
    expect(unknown.text).toBe('404 page not found\n')
  })

  it('generates names from generateName', async () => {
    const ns = await cluster.namespace()
    const first = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { generateName: 'gen-' } })
    const second = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { generateName: 'gen-' } })
    expect(first.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(second.metadata.name).not.toBe(first.metadata.name)
  })

  it('reports what is wrong with a name', async () => {
    const ns = await cluster.namespace()
    const bad = await cluster.call('POST', `/api/v1/namespaces/${ns}/configmaps`, { body: configMap('Not_Good') })
    expect(bad.status).toBe(422)
    expect(bad.body.reason).toBe('Invalid')
    expect(bad.body.message).toContain('ConfigMap "Not_Good" is invalid: metadata.name: Invalid value: "Not_Good"')
    expect(bad.body).toMatchObject({
      details: { kind: 'ConfigMap', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }] },
    })
  })

  it('supports optimistic locking', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps/a`
    const first = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a', { n: '1' }))
    const second = await cluster.call('PUT', path, { body: { ...first, data: { n: '2' } } })
    expect(second.status).toBe(200)
    expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion))
    const stale = await cluster.call('PUT', path, { body: { ...first, data: { n: '3' } } })
    expect(stale.status).toBe(409)
    expect(stale.body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    })
    const { resourceVersion: _, ...unversioned } = first.metadata
    const blind = await cluster.call('PUT', path, { body: { ...first, metadata: unversioned, data: { n: '4' } } })
    expect(blind.status).toBe(200)
    expect(blind.body.data).toEqual({ n: '4' })
  })

  it('keeps the resourceVersion when nothing changes', async () => {
    const ns = await cluster.namespace()
    const created = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a', { n: '1' }))
    const same = await cluster.call('PUT', `/api/v1/namespaces/${ns}/configmaps/a`, { body: created })
    expect(same.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  })

  it('increases the generation for the spec, not for metadata or status', async () => {
    const ns = await cluster.namespace()
    const path = `/apis/apps/v1/namespaces/${ns}/deployments`
    const created = await cluster.create(path, deployment('web', 0))
    expect(created.metadata.generation).toBe(1)
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
    const labelled = await cluster.call('PATCH', `${path}/web`, {
      ...merge,
      body: { metadata: { labels: { x: 'y' } } },
    })
    expect(labelled.body.metadata.generation).toBe(1)
    const scaled = await cluster.call('PATCH', `${path}/web`, {
      ...merge,
      body: { spec: { replicas: 1, paused: true } },
    })
    expect(scaled.body.metadata.generation).toBe(2)
    const reported = await cluster.call('PATCH', `${path}/web/status`, {
      ...merge,
      body: { spec: { replicas: 7 }, status: { replicas: 0 } },
    })
    expect(reported.status).toBe(200)
    expect(reported.body.metadata.generation).toBe(2)
    expect(reported.body.spec['replicas']).toBe(1)
  })

  it('keeps a deleted object until its finalizers are removed', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps/held`
    await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, {
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    })
    const deleted = await cluster.call('DELETE', path)
    expect(deleted.status).toBe(200)
    expect(deleted.body.metadata.deletionTimestamp).toBeDefined()
    expect((await cluster.call('GET', path)).body.metadata.finalizers).toEqual(['example.com/hold'])
    const patch = [{ op: 'remove', path: '/metadata/finalizers' }]
    const headers = { 'content-type': 'application/json-patch+json' }
    const { metadata } = (await cluster.call('PATCH', path, { body: patch, headers })).body
    // The version without finalizers is never stored, so it has no resourceVersion of its own.
    expect([metadata.finalizers, metadata.resourceVersion]).toEqual([undefined, deleted.body.metadata.resourceVersion])
    expect((await cluster.call('GET', path)).status).toBe(404)
  })

  it('responds to writes with PartialObjectMetadata on request', async () => {
    const ns = await cluster.namespace()
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const answers = [
      await cluster.call('POST', path, { body: configMap('brief'), headers: { accept } }),
      await cluster.call('PUT', `${path}/brief`, { body: configMap('brief'), headers: { accept } }),
      await cluster.call('PATCH', `${path}/brief`, { body: { data: { b: '2' } }, headers: { ...mergePatch, accept } }),
    ]
    const found = await cluster.call('GET', `${path}/brief`)
    for (const { body } of answers) {
      expect(Object.keys(body).toSorted()).toEqual(['apiVersion', 'kind', 'metadata'])
      expect([body.kind, body.metadata.uid]).toEqual(['PartialObjectMetadata', found.body.metadata.uid])
    }
    expect(answers[2]?.body.metadata.resourceVersion).toBe(found.body.metadata.resourceVersion)
  })

  it('responds to a deletion with a Status that contains the object', async () => {
    const ns = await cluster.namespace()
    const created = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a'))
    const deleted = await cluster.call('DELETE', `/api/v1/namespaces/${ns}/configmaps/a`)
    expect(deleted.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: created.metadata.uid },
    })
  })

  it('checks delete preconditions', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps/a`
    const created = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, configMap('a'))
    const other = await cluster.call('DELETE', path, {
      body: { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } },
    })
    expect(other.status).toBe(409)
    expect(other.body.message).toBe(
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (00000000-0000-4000-8000-000000000000) does not match the UID in record (${created.metadata.uid}). The object might have been deleted and then recreated`,
    )
    const right = await cluster.call('DELETE', path, { body: { preconditions: { uid: created.metadata.uid } } })
    expect(right.status).toBe(200)
  })

  it('deletes a collection by selector', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    for (const [name, team] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ] as const) {
      await cluster.create(path, { metadata: { name, labels: { team } } })
    }
    expect((await cluster.call('DELETE', `${path}?labelSelector=team%3Dx`)).status).toBe(200)
    const left = await cluster.call('GET', `${path}?labelSelector=team`)
    expect(left.body.items.map((item) => item.metadata.name)).toEqual(['c'])
  })

  it('stores nothing on a dry run', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const dry = await cluster.call('POST', `${path}?dryRun=All`, { body: configMap('a') })
    expect(dry.status).toBe(201)
    expect(dry.body.metadata.uid).toBeDefined()
    expect((await cluster.call('GET', `${path}/a`)).status).toBe(404)
  })

  it('ignores, warns about or refuses unknown fields by fieldValidation', async () => {
    const ns = await cluster.namespace()
    const path = `/apis/apps/v1/namespaces/${ns}/deployments`
    const misspelt = { ...deployment('web', 0), spec: { ...deployment('web', 0).spec, replicsa: 3 } }
    const strict = await cluster.call('POST', `${path}?fieldValidation=Strict`, { body: misspelt })
    expect(strict.status).toBe(400)
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.replicsa"')
    const warned = await cluster.call('POST', `${path}?fieldValidation=Warn`, { body: misspelt })
    expect(warned.status).toBe(201)
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"spec.replicsa\\""')
    const ignored = await cluster.call('PUT', `${path}/web?fieldValidation=Ignore`, { body: misspelt })
    expect(ignored.status).toBe(200)
    expect(ignored.headers['warning']).toBeUndefined()
    expect(ignored.body.spec['replicsa']).toBeUndefined()
  })

  it('refuses objects in a missing namespace', async () => {
    const refused = await cluster.call('POST', '/api/v1/namespaces/nowhere/configmaps', { body: configMap('a') })
    expect(refused.status).toBe(404)
    expect(refused.body.message).toBe('namespaces "nowhere" not found')
  })

  it('refuses an object with another namespace or name than its path', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const elsewhere = await cluster.call('POST', path, { body: { metadata: { name: 'a', namespace: 'other' } } })
    expect(elsewhere.status).toBe(400)
    expect(elsewhere.body.message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
    await cluster.create(path, configMap('a'))
    const renamed = await cluster.call('PUT', `${path}/a`, { body: configMap('b') })
    expect(renamed.status).toBe(400)
    expect(renamed.body.message).toBe('the name of the object (b) does not match the name on the URL (a)')
  })

  it('refuses changes of immutable fields', async () => {
    const ns = await cluster.namespace()
    const path = `/apis/apps/v1/namespaces/${ns}/deployments`
    const created = await cluster.create(path, deployment('web', 0))
    // Without resourceVersion, so that writes of the controller cause no conflict.
    const { resourceVersion: _, ...metadata } = created.metadata
    const spec = { ...created.spec, selector: { matchLabels: { app: 'other' } }, template: podTemplate('other') }
    const changed = { ...created, metadata, spec }
    const refused = await cluster.call('PUT', `${path}/web`, { body: changed })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toContain('spec.selector: Invalid value')
    expect(refused.body.message).toContain('field is immutable')
  })
})
