import { describe, expect, it } from 'vitest'
import type { Logger } from '../../runtime/log.ts'
import type { CacheChange } from './cache.ts'
import { type Entry, Store } from './store.ts'

interface Value {
  readonly name: string
  readonly colours: readonly string[]
}

const value = (name: string, ...colours: string[]): Value => ({ name, colours })
const entry = (version: string, name: string, ...colours: string[]): Entry<Value> => ({
  version,
  value: value(name, ...colours),
})

function storeWithLog() {
  const errors: unknown[] = []
  const log: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields) => errors.push([message, fields?.['key']]),
    with: () => log,
  }
  return { store: new Store<Value>(log, { colour: (item) => item.colours }), errors, log }
}

function replace(
  store: Store<Value>,
  entries: Record<string, Entry<Value>>,
  { reuse = true } = {},
): CacheChange<Value>[] {
  const listing = store.begin({ reuse })
  for (const [key, item] of Object.entries(entries)) listing.add(key, item)
  return [...store.swap(listing)]
}

const names = (values: readonly Value[]) => values.map((item) => item.name)

describe('Store', () => {
  it('distinguishes additions from updates, and ignores a stored version', () => {
    const { store } = storeWithLog()
    expect(store.put('a', entry('1', 'one'))).toEqual({ type: 'added', key: 'a', value: value('one') })
    expect(store.put('a', entry('1', 'one'))).toBeUndefined()
    expect(store.put('a', entry('2', 'two'))).toEqual({
      type: 'updated',
      key: 'a',
      value: value('two'),
      previous: value('one'),
    })
    expect(store.remove('a')).toEqual({ type: 'deleted', key: 'a', previous: value('two') })
    expect(store.remove('a')).toBeUndefined()
    expect(store.size).toBe(0)
  })

  it('does not report an update that isSame considers equal, and keeps the old value', () => {
    const { log } = storeWithLog()
    const store = new Store<Value>(log, {}, (before, after) => before.name === after.name)
    store.put('a', entry('1', 'one', 'red'))
    const before = store.get('a')
    expect(store.put('a', entry('2', 'one', 'blue'))).toBeUndefined()
    expect(store.get('a')).toBe(before)
    expect(replace(store, { a: entry('2', 'one', 'blue') })).toEqual([])
    expect(store.put('a', entry('3', 'two'))).toMatchObject({ type: 'updated' })
  })

  it('treats objects without a version as changed', () => {
    const { store } = storeWithLog()
    store.put('a', entry('', 'one'))
    expect(store.put('a', entry('', 'two'))).toMatchObject({ type: 'updated' })
  })

  it('replaces all entries, reports the exact changes and keeps unchanged values', () => {
    const { store } = storeWithLog()
    const kept = entry('1', 'same')
    store.put('same', kept)
    store.put('changed', entry('2', 'old'))
    store.put('gone', entry('3', 'gone'))
    const list = { same: entry('1', 'same'), changed: entry('5', 'new'), fresh: entry('6', 'fresh') }
    const changes = replace(store, list)
    expect(changes).toEqual<CacheChange<Value>[]>([
      { type: 'deleted', key: 'gone', previous: value('gone') },
      { type: 'updated', key: 'changed', value: value('new'), previous: value('old') },
      { type: 'added', key: 'fresh', value: value('fresh') },
    ])
    expect([...store.keys()]).toEqual(['same', 'changed', 'fresh'])
    expect(store.get('same')).toBe(kept.value)
  })

  it('shows nothing of an incomplete list', () => {
    const { store } = storeWithLog()
    store.put('a', entry('1', 'a', 'red'))
    store.begin({ reuse: true }).add('b', entry('2', 'b', 'red'))
    expect([...store.keys()]).toEqual(['a'])
    expect(names(store.by('colour', 'red'))).toEqual(['a'])
  })

  it('treats equal versions of another storage as changed', () => {
    const { store } = storeWithLog()
    store.put('a', entry('1', 'old'))
    expect(replace(store, { a: entry('1', 'new') }, { reuse: false })).toEqual([
      { type: 'updated', key: 'a', value: value('new'), previous: value('old') },
    ])
    expect(store.get('a')).toEqual(value('new'))
  })

  it('finds values by index through every kind of change', () => {
    const { store } = storeWithLog()
    store.put('a', entry('1', 'a', 'red', 'blue'))
    store.put('b', entry('2', 'b', 'red'))
    expect(names(store.by('colour', 'red'))).toEqual(['a', 'b'])
    store.put('a', entry('3', 'a', 'blue'))
    expect(names(store.by('colour', 'red'))).toEqual(['b'])
    store.remove('b')
    expect(store.by('colour', 'red')).toEqual([])
    replace(store, { c: entry('4', 'c', 'blue') })
    expect(names(store.by('colour', 'blue'))).toEqual(['c'])
    expect(() => store.by('size', 'red')).toThrow('no index "size"; there are: colour')
  })

  it('keeps a value whose index function throws, without indexing it', () => {
    const { store, errors } = storeWithLog()
    store.put('a', {
      version: '1',
      value: {
        name: 'a',
        get colours(): string[] {
          throw new Error('index')
        },
      },
    })
    store.put('a', entry('2', 'a', 'red'))
    expect(names(store.by('colour', 'red'))).toEqual(['a'])
    expect(errors).toEqual([
      ['index function failed', undefined],
      ['index function failed', undefined],
    ])
  })

  it('notifies every listener until it unsubscribes, even if another one throws', () => {
    const { store, errors } = storeWithLog()
    const notified: string[] = []
    store.subscribe(() => {
      throw new Error('listener')
    })
    const stop = store.subscribe((change) => notified.push(change.key))
    store.notify({ type: 'added', key: 'a', value: value('a') })
    stop()
    store.notify({ type: 'added', key: 'b', value: value('b') })
    expect(notified).toEqual(['a'])
    expect(errors).toEqual([
      ['cache listener failed', 'a'],
      ['cache listener failed', 'b'],
    ])
  })
})
