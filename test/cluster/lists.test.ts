/** Collections: selectors, chunks, tables, partial objects. */
import { beforeAll, expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'

const tableAccept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

onCluster('lists', (cluster) => {
  let ns = ''
  let path = ''
  beforeAll(async () => {
    ns = await cluster.namespace()
    path = `/api/v1/namespaces/${ns}/configmaps`
    const labels: Record<string, Record<string, string>> = {
      a: { tier: 'web', env: 'prod' },
      b: { tier: 'web', env: 'test' },
      c: { tier: 'db', env: 'prod' },
      d: {},
    }
    for (const [name, own] of Object.entries(labels))
      await cluster.create(path, { metadata: { name, labels: { suite: 'lists', ...own } } })
  })

  const names = async (query: string) => {
    const answer = await cluster.call('GET', `${path}?${new URLSearchParams(query)}`)
    expect(answer.status).toBe(200)
    return answer.body.items.map((item) => item.metadata.name)
  }

  it.each([
    ['suite=lists,tier=web', ['a', 'b']],
    ['suite=lists,tier!=web', ['c', 'd']],
    ['suite=lists,tier in (web, db),env notin (test)', ['a', 'c']],
    ['suite=lists,tier', ['a', 'b', 'c']],
    ['suite=lists,!tier', ['d']],
    ['suite=lists,env==prod', ['a', 'c']],
  ])('selects by label: %s', async (selector, expected) => {
    expect(await names(`labelSelector=${encodeURIComponent(selector)}`)).toEqual(expected)
  })

  it('selects by field and refuses unknown ones', async () => {
    expect(await names('fieldSelector=metadata.name%3Db')).toEqual(['b'])
    expect(await names('labelSelector=suite&fieldSelector=metadata.name!%3Db')).toEqual(['a', 'c', 'd'])
    const unknown = await cluster.call('GET', `${path}?fieldSelector=data.k%3Dv`)
    expect(unknown.status).toBe(400)
    expect(unknown.body.message).toContain(
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })

  it('refuses an invalid selector', async () => {
    const bad = await cluster.call('GET', `${path}?labelSelector=${encodeURIComponent('a in (')}`)
    expect(bad.status).toBe(400)
    expect(bad.body.reason).toBe('BadRequest')
  })

  it('lists in chunks', async () => {
    const first = await cluster.call('GET', `${path}?labelSelector=suite&limit=3`)
    expect(first.body.items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c'])
    const token = first.body.metadata.continue ?? ''
    expect(token).not.toBe('')
    const rest = await cluster.call('GET', `${path}?labelSelector=suite&limit=3&continue=${encodeURIComponent(token)}`)
    expect(rest.body.items.map((item) => item.metadata.name)).toEqual(['d'])
    expect(rest.body.metadata.continue).toBeUndefined()
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
  })

  it('returns remainingItemCount for a list without selector', async () => {
    const first = await cluster.call('GET', `${path}?limit=2`)
    // kube-root-ca.crt exists in every namespace next to the four objects of this suite.
    await cluster.untilList(path, (items) => items.length === 5)
    const second = await cluster.call('GET', `${path}?limit=2`)
    expect(first.status).toBe(200)
    expect(second.body.metadata.remainingItemCount).toBe(3)
  })

  it('refuses an invalid continue token', async () => {
    const bad = await cluster.call('GET', `${path}?limit=2&continue=nonsense`)
    expect(bad.status).toBe(400)
    expect(bad.body.message).toContain('continue key is not valid')
  })

  it('lists across namespaces', async () => {
    const all = await cluster.call('GET', '/api/v1/configmaps?labelSelector=suite%3Dlists')
    expect(all.body.kind).toBe('ConfigMapList')
    expect(all.body.items.filter((item) => item.metadata.namespace === ns)).toHaveLength(4)
  })

  it('responds with a Table', async () => {
    const answer = await cluster.call('GET', `${path}?labelSelector=tier`, { headers: tableAccept })
    const table = answer.body as unknown as {
      kind: string
      columnDefinitions: { name: string; type: string }[]
      rows: { cells: unknown[]; object: Thing }[]
    }
    expect(table.kind).toBe('Table')
    expect(table.columnDefinitions.map((column) => column.name)).toEqual(['Name', 'Data', 'Age'])
    expect(table.rows.map((row) => row.cells.slice(0, 2))).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ])
    expect(table.rows[0]?.object.kind).toBe('PartialObjectMetadata')
  })

  it('responds with PartialObjectMetadata', async () => {
    const headers = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }
    const answer = await cluster.call('GET', `${path}?labelSelector=tier`, { headers })
    expect(answer.body.kind).toBe('PartialObjectMetadataList')
    expect(Object.keys(answer.body.items[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
  })
})
