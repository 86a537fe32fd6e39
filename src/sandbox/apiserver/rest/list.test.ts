import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { podNamed, type Reply, TestCluster } from '../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

async function withConfigMaps(...names: readonly string[]): Promise<TestCluster> {
  const cluster = new TestCluster()
  for (const name of names) await cluster.post(configMaps, { metadata: { name, labels: { first: name.slice(0, 1) } } })
  return cluster
}

function names(reply: Reply): readonly string[] {
  return (reply.body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
}

describe('list', () => {
  it('returns all pages at the resourceVersion of the first page', async () => {
    const cluster = await withConfigMaps('a', 'b', 'c', 'd')
    const first = await cluster.get(`${configMaps}?limit=2`)
    expect(names(first)).toEqual(['a', 'b'])
    expect(first.at('metadata', 'remainingItemCount')).toBe(2)
    await cluster.call('DELETE', `${configMaps}/c`)
    await cluster.post(configMaps, { metadata: { name: 'cc' } })
    const token = String(first.at('metadata', 'continue'))
    const second = await cluster.get(`${configMaps}?limit=2&continue=${token}`)
    expect(names(second)).toEqual(['c', 'd'])
    expect(second.at('metadata', 'resourceVersion')).toBe(first.at('metadata', 'resourceVersion'))
    expect(second.at('metadata', 'continue')).toBeUndefined()
  })

  it('responds 410 with a new continue token when the revision of a page is compacted', async () => {
    const cluster = new TestCluster({ watchWindow: 100 })
    for (const name of ['a', 'b', 'c']) await cluster.post(configMaps, { metadata: { name } })
    const first = await cluster.get(`${configMaps}?limit=1`)
    for (let round = 0; round < 150; round++) await cluster.patch(`${configMaps}/c`, { data: { round: String(round) } })
    const gone = await cluster.get(`${configMaps}?limit=1&continue=${String(first.at('metadata', 'continue'))}`)
    expect([gone.status, gone.at('reason')]).toEqual([410, 'Expired'])
    const rest = await cluster.get(`${configMaps}?continue=${String(gone.at('metadata', 'continue'))}`)
    expect(names(rest)).toEqual(['b', 'c'])
  })

  it('lists an exact resourceVersion and times out for a future one', async () => {
    const cluster = await withConfigMaps('a')
    const version = String((await cluster.get(configMaps)).at('metadata', 'resourceVersion'))
    await cluster.post(configMaps, { metadata: { name: 'b' } })
    expect(names(await cluster.get(`${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`))).toEqual([
      'a',
    ])
    expect(names(await cluster.get(`${configMaps}?resourceVersion=${version}`))).toEqual(['a', 'b'])
    const future = await cluster.get(`${configMaps}?resourceVersion=99999`)
    expect([future.status, future.at('details', 'retryAfterSeconds')]).toEqual([504, 1])
  })

  it('selects by labels', async () => {
    const cluster = await withConfigMaps('a1', 'a2', 'b1')
    const select = async (selector: string) =>
      names(await cluster.get(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`))
    expect(await select('first=a')).toEqual(['a1', 'a2'])
    expect(await select('first!=a')).toEqual(['b1'])
    expect(await select('first in (a, b)')).toEqual(['a1', 'a2', 'b1'])
    expect(await select('first notin (a)')).toEqual(['b1'])
    expect(await select('!first')).toEqual([])
    const wrong = await cluster.get(`${configMaps}?labelSelector=${encodeURIComponent('a in (b')}`)
    expect([wrong.status, wrong.at('reason')]).toEqual([400, 'BadRequest'])
  })

  it('selects by supported fields', async () => {
    const cluster = new TestCluster()
    const pods = '/api/v1/namespaces/default/pods'
    await cluster.post(pods, podNamed('a'))
    await cluster.post(pods, podNamed('b', { nodeName: 'n1' }))
    expect(names(await cluster.get('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1'))).toEqual(['b'])
    expect(names(await cluster.get('/api/v1/pods?fieldSelector=status.phase%3DPending,metadata.name!%3Db'))).toEqual([
      'a',
    ])
    const unknown = await cluster.get('/api/v1/pods?fieldSelector=spec.image%3Dx')
    expect(unknown.at('message')).toBe('field label not supported: spec.image')
  })

  it('omits kind and apiVersion in the items of built-in kinds', async () => {
    const reply = await (await withConfigMaps('a')).get(configMaps)
    const [item] = reply.body['items'] as readonly JsonObject[]
    expect([reply.body['kind'], Object.keys(item ?? {})[0]]).toEqual(['ConfigMapList', 'metadata'])
  })
})

describe('content negotiation', () => {
  it('returns Table and PartialObjectMetadata on request', async () => {
    const cluster = await withConfigMaps('a')
    const as = (form: string) =>
      cluster.call('GET', configMaps, undefined, {
        headers: { accept: `application/json;as=${form};v=v1;g=meta.k8s.io` },
      })
    const table = await as('Table')
    expect(table.body['kind']).toBe('Table')
    const [row] = table.body['rows'] as readonly { cells: readonly unknown[]; object: JsonObject }[]
    expect([row?.cells[0], row?.object['kind']]).toEqual(['a', 'PartialObjectMetadata'])
    const metadata = await as('PartialObjectMetadataList')
    expect([metadata.body['kind'], metadata.text.includes('"data"')]).toEqual(['PartialObjectMetadataList', false])
  })

  it('responds 406 for unsupported types and returns YAML on request', async () => {
    const cluster = await withConfigMaps('a')
    const accept = (type: string) => cluster.call('GET', `${configMaps}/a`, undefined, { headers: { accept: type } })
    expect((await accept('application/vnd.kubernetes.protobuf')).status).toBe(406)
    expect((await accept('application/vnd.kubernetes.protobuf, application/json')).status).toBe(200)
    expect((await accept('application/yaml')).text).toContain('kind: ConfigMap')
  })
})
