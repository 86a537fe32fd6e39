import { describe, expect, it } from 'vitest'
import { eventsOf, type Reply, TestCluster } from '../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

/** Watches for ten virtual seconds and runs `act` after one. */
async function watched(cluster: TestCluster, query: string, act: () => Promise<unknown>): Promise<Reply> {
  const { clock } = cluster.simulation.runtime
  return cluster.run(async () => {
    const watching = cluster.call('GET', `${configMaps}?watch=true&timeoutSeconds=10${query}`)
    await clock.sleep(1000)
    await act()
    return watching
  })
}

describe('watch', () => {
  it('starts with existing objects and continues with changes', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'old' } })
    const reply = await watched(cluster, '', async () => {
      await cluster.post(configMaps, { metadata: { name: 'new' } })
      await cluster.patch(`${configMaps}/new`, { data: { a: 'b' } })
      await cluster.call('DELETE', `${configMaps}/new`)
      await cluster.post('/api/v1/namespaces/kube-system/configmaps', { metadata: { name: 'elsewhere' } })
    })
    expect(eventsOf(reply)).toEqual(['ADDED old', 'ADDED new', 'MODIFIED new', 'DELETED new'])
  })

  it('resumes after a resourceVersion without a gap', async () => {
    const cluster = new TestCluster()
    const made = await cluster.post(configMaps, { metadata: { name: 'a' } })
    await cluster.post(configMaps, { metadata: { name: 'b' } })
    const version = String(made.at('metadata', 'resourceVersion'))
    const reply = await watched(cluster, `&resourceVersion=${version}`, () => cluster.call('DELETE', `${configMaps}/a`))
    expect(eventsOf(reply)).toEqual(['ADDED b', 'DELETED a'])
  })

  it('sends an error event for a resourceVersion that is too old', async () => {
    const cluster = new TestCluster({ watchWindow: 100 })
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    for (let round = 0; round < 150; round++) await cluster.patch(`${configMaps}/a`, { data: { round: String(round) } })
    const reply = await cluster.get(`${configMaps}?watch=true&resourceVersion=2`)
    expect(reply.status).toBe(200)
    expect(eventsOf(reply)).toEqual(['ERROR Expired'])
    expect(reply.text).toContain('"code":410')
  })

  it('reports objects that start or stop matching as ADDED or DELETED', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a', labels: { on: 'no' } } })
    const reply = await watched(cluster, '&labelSelector=on%3Dyes', async () => {
      await cluster.patch(`${configMaps}/a`, { metadata: { labels: { on: 'yes' } } })
      await cluster.patch(`${configMaps}/a`, { data: { x: 'y' } })
      await cluster.patch(`${configMaps}/a`, { metadata: { labels: { on: 'no' } } })
    })
    expect(eventsOf(reply)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
  })

  it('sends bookmarks after the initial events and every minute', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    const query = 'watch=true&allowWatchBookmarks=true&timeoutSeconds=130'
    const listed = await cluster.get(`${configMaps}?${query}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`)
    expect(eventsOf(listed)).toEqual(['ADDED a', 'BOOKMARK', 'BOOKMARK', 'BOOKMARK'])
    expect(listed.text.split('\n')[1]).toContain('"k8s.io/initial-events-end":"true"')
    const plain = await cluster.get(`${configMaps}?${query}`)
    expect(eventsOf(plain)).toEqual(['ADDED a', 'BOOKMARK', 'BOOKMARK'])
  })

  it('ends when the reader ends', async () => {
    const cluster = new TestCluster()
    const response = await cluster.open('GET', `${configMaps}?watch=true`)
    if (response.body instanceof Uint8Array) throw new Error('a watch is a stream')
    const reader = response.body[Symbol.asyncIterator]()
    await reader.return?.()
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('writes tables with headers in the first event only', async () => {
    const cluster = new TestCluster()
    for (const name of ['a', 'b']) await cluster.post(configMaps, { metadata: { name } })
    const reply = await cluster.call('GET', `${configMaps}?watch=true&timeoutSeconds=1`, undefined, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    const [first, second] = reply.text.split('\n')
    expect(first).toContain('"columnDefinitions":[{"name":"Name"')
    expect(second).toContain('"columnDefinitions":null')
  })
})
