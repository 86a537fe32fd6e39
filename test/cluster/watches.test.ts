/** Watches: what is sent, in which order, from which version. */
import { expect, it } from 'vitest'
import { type Cluster, onCluster } from './suite.ts'
import { stream, type Thing } from './target.ts'

interface Event {
  readonly type: string
  readonly object: Thing
}

async function take(cluster: Cluster, path: string, count: number): Promise<Event[]> {
  const events: Event[] = []
  const left = new AbortController()
  for await (const line of stream(cluster.target, path, { signal: left.signal })) {
    events.push(JSON.parse(line) as Event)
    if (events.length === count) left.abort()
  }
  return events
}

const brief = (events: readonly Event[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason}`)

onCluster('watches', (cluster) => {
  it('sends every change after a version, once and in order', async () => {
    const path = `/api/v1/namespaces/${await cluster.namespace()}/secrets`
    const start = (await cluster.call('GET', path)).body.metadata.resourceVersion
    const created = await cluster.create(path, { metadata: { name: 'a' } })
    await cluster.call('PUT', `${path}/a`, { body: { ...created, stringData: { k: 'v' } } })
    await cluster.create(path, { metadata: { name: 'b' } })
    await cluster.call('DELETE', `${path}/a`)
    const events = await take(cluster, `${path}?watch=1&resourceVersion=${start}`, 4)
    expect(brief(events)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a'])
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((x, y) => x - y))
    expect(new Set(versions).size).toBe(4)
  })

  it('starts with existing objects without a resourceVersion', async () => {
    const path = `/api/v1/namespaces/${await cluster.namespace()}/secrets`
    await cluster.create(path, { metadata: { name: 'a' } })
    expect(brief(await take(cluster, `${path}?watch=1`, 1))).toEqual(['ADDED a'])
  })

  it('reports objects that start or stop matching as ADDED and DELETED', async () => {
    const path = `/api/v1/namespaces/${await cluster.namespace()}/secrets`
    const start = (await cluster.call('GET', path)).body.metadata.resourceVersion
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
    await cluster.create(path, { metadata: { name: 'a', labels: { pick: 'no' } } })
    await cluster.call('PATCH', `${path}/a`, { ...merge, body: { metadata: { labels: { pick: 'yes' } } } })
    await cluster.call('PATCH', `${path}/a`, { ...merge, body: { metadata: { labels: { pick: 'yes', more: '1' } } } })
    await cluster.call('PATCH', `${path}/a`, { ...merge, body: { metadata: { labels: { pick: 'no' } } } })
    const events = await take(cluster, `${path}?watch=1&resourceVersion=${start}&labelSelector=pick%3Dyes`, 3)
    expect(brief(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
  })

  it('sends the initial state and a bookmark with sendInitialEvents', async () => {
    const path = `/api/v1/namespaces/${await cluster.namespace()}/secrets`
    await cluster.create(path, { metadata: { name: 'a' } })
    await cluster.create(path, { metadata: { name: 'b' } })
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const events = await take(cluster, `${path}?${query}`, 3)
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['ADDED', 'ADDED'])
    expect(events[2]).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Secret', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    })
  })

  it('ends after timeoutSeconds', async () => {
    const path = `/api/v1/namespaces/${await cluster.namespace()}/secrets`
    const start = (await cluster.call('GET', path)).body.metadata.resourceVersion
    expect(await take(cluster, `${path}?watch=1&timeoutSeconds=1&resourceVersion=${start}`, 1)).toEqual([])
  })

  it('responds with retryAfterSeconds for a future resourceVersion', async () => {
    const later = await cluster.call(
      'GET',
      '/api/v1/secrets?resourceVersion=999999999&resourceVersionMatch=NotOlderThan',
    )
    expect(later.status).toBe(504)
    expect(later.body.message).toContain('Too large resource version')
    expect(later.body).toMatchObject({
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    })
  })
})
