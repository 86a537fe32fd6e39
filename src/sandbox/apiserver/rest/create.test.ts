import { describe, expect, it } from 'vitest'
import { TestCluster } from '../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

describe('create', () => {
  it('sets uid, creationTimestamp, resourceVersion and namespace and ignores those of the client', async () => {
    const cluster = new TestCluster()
    const metadata = { name: 'a', uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' }
    const reply = await cluster.post(configMaps, { metadata, data: { k: 'v' } })
    expect(reply.status).toBe(201)
    expect(reply.at('metadata', 'uid')).toMatch(/^[0-9a-f-]{36}$/)
    expect(reply.at('metadata', 'creationTimestamp')).toBe('2026-01-01T00:00:00Z')
    expect(reply.at('metadata', 'namespace')).toBe('default')
    expect((await cluster.get(`${configMaps}/a`)).body).toEqual(reply.body)
  })

  it('generates unique names for generateName', async () => {
    const cluster = new TestCluster()
    const first = await cluster.post(configMaps, { metadata: { generateName: 'g-' } })
    const second = await cluster.post(configMaps, { metadata: { generateName: 'g-' } })
    expect(first.at('metadata', 'name')).toMatch(/^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(second.at('metadata', 'name')).not.toBe(first.at('metadata', 'name'))
  })

  it('refuses an existing name', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    const reply = await cluster.post(configMaps, { metadata: { name: 'a' } })
    expect(reply.body).toEqual({
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

  it('reports every invalid metadata field', async () => {
    const reply = await new TestCluster().post(configMaps, {
      metadata: { name: 'Bad_', labels: { 'a b': 'c' }, finalizers: ['x'] },
    })
    expect(reply.status).toBe(422)
    expect((reply.at('details', 'causes') as readonly { field: string }[]).map(({ field }) => field)).toEqual([
      'metadata.name',
      'metadata.labels',
      'metadata.finalizers[0]',
    ])
  })

  it('refuses objects in missing and terminating namespaces', async () => {
    const cluster = new TestCluster()
    const missing = await cluster.post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } })
    expect([missing.status, missing.at('message')]).toEqual([404, 'namespaces "nowhere" not found'])
    await cluster.post('/api/v1/namespaces', { metadata: { name: 'going' } })
    await cluster.call('DELETE', '/api/v1/namespaces/going')
    const late = await cluster.post('/api/v1/namespaces/going/configmaps', { metadata: { name: 'a' } })
    expect(late.status).toBe(403)
    expect(late.at('message')).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
    )
  })

  it('stores nothing on a dry run', async () => {
    const cluster = new TestCluster()
    const reply = await cluster.post(`${configMaps}?dryRun=All`, { metadata: { name: 'a' } })
    expect([reply.status, reply.at('metadata', 'name')]).toEqual([201, 'a'])
    expect((await cluster.get(`${configMaps}/a`)).status).toBe(404)
  })

  it('warns about, refuses or ignores unknown fields depending on fieldValidation', async () => {
    const cluster = new TestCluster()
    const warned = await cluster.post(configMaps, { metadata: { name: 'a' }, datum: 1 })
    expect([warned.status, warned.headers['warning']]).toEqual([201, '299 - "unknown field \\"datum\\""'])
    const strict = await cluster.post(`${configMaps}?fieldValidation=Strict`, { metadata: { name: 'b' }, datum: 1 })
    expect(strict.at('message')).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datum"',
    )
    const ignored = await cluster.post(`${configMaps}?fieldValidation=Ignore`, { metadata: { name: 'c' }, datum: 1 })
    expect([ignored.status, ignored.headers['warning'], ignored.at('datum')]).toEqual([201, undefined, undefined])
  })

  it('accepts YAML and refuses other formats', async () => {
    const cluster = new TestCluster()
    const yaml = await cluster.post(configMaps, 'metadata: {name: a}\ndata:\n  k: v\n', { type: 'application/yaml' })
    expect([yaml.status, yaml.at('data', 'k')]).toEqual([201, 'v'])
    const text = await cluster.post(configMaps, 'x', { type: 'text/plain' })
    expect([text.status, text.at('reason')]).toEqual([415, 'UnsupportedMediaType'])
    const big = await cluster.post(configMaps, 'x'.repeat(4_000_000))
    expect([big.status, big.at('reason')]).toEqual([413, 'RequestEntityTooLarge'])
    const broken = await cluster.post(configMaps, '{bad')
    expect(broken.at('message')).toContain("couldn't get version/kind; json parse error")
    const other = await cluster.post(configMaps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } })
    expect(other.at('message')).toContain('Secret in version "v1" cannot be handled as a ConfigMap')
  })
})
