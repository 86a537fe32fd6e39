import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import type { ApiObject } from '../object.ts'
import type { Change } from './history.ts'
import { Store } from './store.ts'

const kind = { group: '', resource: 'configmaps' }

function object(name: string, value: string): ApiObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'a' }, data: { value } }
}

function store(events = 10_000): Store {
  return new Store(createSimulation(1).clock, { maxChanges: events, maxAgeMs: 300_000 })
}

describe('a collection', () => {
  it('assigns the next revision to every change of every kind', () => {
    const all = store()
    const first = all.collection(kind).put('a/x', object('x', '1'))
    const other = all.collection({ group: '', resource: 'secrets' }).put('a/y', object('y', '1'))
    const second = all.collection(kind).put('a/x', object('x', '2'))
    expect([first.revision, other.revision, second.revision]).toEqual([2, 3, 4])
    expect(second.object.metadata.resourceVersion).toBe('4')
    expect(all.revision).toBe(4)
  })

  it('keeps the resourceVersion of an equal object and notifies no listener', () => {
    const collection = store().collection(kind)
    const seen: Change[] = []
    collection.put('a/x', object('x', '1'))
    collection.follow((change) => seen.push(change))
    const again = collection.put('a/x', object('x', '1'))
    expect(again.revision).toBe(2)
    expect(seen).toEqual([])
  })

  it('shares unchanged parts between versions', () => {
    const collection = store().collection(kind)
    const spec = { deep: { list: [1, 2, 3] } }
    const before = collection.put('a/x', { ...object('x', '1'), spec })
    const after = collection.put('a/x', { ...object('x', '2'), spec: structuredClone(spec) })
    expect(after.object['spec']).toBe(before.object['spec'])
    expect(after.object['data']).toEqual({ value: '2' })
  })

  it('iterates keys in order, within a namespace and after a key', () => {
    const collection = store().collection(kind)
    for (const key of ['b/x', 'a-b/x', 'a/z', 'a/y']) collection.put(key, object(key, '1'))
    collection.delete('a/z')
    collection.put('a/z', object('z', '2'))
    expect([...collection.range('')].map(([key]) => key)).toEqual(['a-b/x', 'a/y', 'a/z', 'b/x'])
    expect([...collection.range('a/')].map(([key]) => key)).toEqual(['a/y', 'a/z'])
    expect([...collection.range('a/', 'a/y')].map(([key]) => key)).toEqual(['a/z'])
  })

  it('returns the objects at an older revision until it is compacted', () => {
    const all = store()
    const collection = all.collection(kind)
    collection.put('a/x', object('x', '1'))
    const then = all.revision
    collection.put('a/x', object('x', '2'))
    collection.put('a/y', object('y', '1'))
    collection.delete('a/x')
    const past = collection.at(then)
    expect([...(past?.keys() ?? [])]).toEqual(['a/x'])
    expect(past?.get('a/x')?.object['data']).toEqual({ value: '1' })
    all.compact()
    expect(collection.at(then)).toBeUndefined()
  })

  it('does not resume from before a restart, even if it had no objects then', () => {
    const before = store()
    before.collection(kind).put('a/x', object('x', '1'))
    const { revision } = before
    before.collection(kind).delete('a/x')
    const after = store()
    after.restore({ revision: before.revision, collections: new Map() })
    expect(after.collection(kind).history.since(revision)).toBeUndefined()
    expect(after.collection(kind).put('a/y', object('y', '1')).revision).toBe(before.revision + 1)
  })

  it('drops the oldest changes beyond the history window', () => {
    const collection = store(150).collection(kind)
    for (let index = 0; index < 200; index++) collection.put('a/x', object('x', String(index)))
    expect(collection.history.since(2)).toBeUndefined()
    expect(collection.history.droppedRevision).toBe(51)
    expect(collection.history.since(51)).toHaveLength(150)
  })

  it('notifies changes in order, including changes made by a listener', () => {
    const collection = store().collection(kind)
    const seen: number[] = []
    collection.follow(({ key }) => {
      if (key === 'a/x') collection.put('a/y', object('y', '1'))
    })
    collection.follow(({ revision }) => seen.push(revision))
    collection.put('a/x', object('x', '1'))
    expect(seen).toEqual([2, 3])
  })

  it('notifies a deletion with the last state at the revision of the deletion', () => {
    const collection = store().collection(kind)
    collection.put('a/x', object('x', '1'))
    const seen: Change[] = []
    collection.follow((change) => seen.push(change))
    collection.delete('a/x')
    expect(seen[0]?.deleted?.object.metadata.resourceVersion).toBe('3')
    expect(seen[0]?.deleted?.object['data']).toEqual({ value: '1' })
    expect(seen[0]?.previous?.object.metadata.resourceVersion).toBe('2')
  })
})
