/** The ConfigMap of modules with the API server: watched and written, and its own writes cause no reaction. */
import { expect, it } from 'vitest'
import { applyPatches } from '../../src/addons/modules/config-map/apply-patches.ts'
import type { ConfigChange } from '../../src/addons/modules/config-map/change.ts'
import { ConfigMapSource } from '../../src/addons/modules/config-map/source.ts'
import { Values } from '../../src/addons/modules/values/values.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import type { Json } from '../../src/runtime/json.ts'
import { inCluster, type TestCluster } from './cluster.ts'

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

interface Stage extends TestCluster {
  readonly source: ConfigMapSource
  readonly changes: ConfigChange[]
  readonly refused: string[]
  readonly signal: AbortSignal
  put(data: Record<string, string>): Promise<unknown>
  read(): Promise<Record<string, string> | undefined>
}

const name = 'addon-operator'
const type = resources.configMaps

function play(scenario: (stage: Stage) => Promise<void>, first?: Record<string, string>, watchDelay = 0) {
  return inCluster(async (cluster) => {
    const ending = new AbortController()
    const refused: string[] = []
    const source = new ConfigMapSource(watchingLate(cluster, watchDelay), cluster.runtime, {
      namespace: 'default',
      name,
      moduleKeys: ['a', 'b'],
      refused: (key) => refused.push(key),
    })
    const changes: ConfigChange[] = []
    source.subscribe((change) => changes.push(change))
    const put = (data: Record<string, string>) => cluster.create<ConfigMap>(type, { metadata: { name }, data })
    if (first !== undefined) await put(first)
    const read = async () => (await cluster.get<ConfigMap>(type, name)).data
    try {
      await scenario({ ...cluster, source, changes, refused, signal: ending.signal, put, read })
    } finally {
      ending.abort()
    }
  })
}

/** A client whose watch events are delayed by seconds. */
function watchingLate({ client, sleep }: TestCluster, seconds: number): KubeClient {
  const late = async function* (events: AsyncIterable<unknown>) {
    for await (const event of events) {
      await sleep(seconds)
      yield event
    }
  }
  const over = <T extends object>(target: T, replaced: Partial<T>): T =>
    new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(key in replaced ? replaced : target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  const handle = client.of(type)
  const slow = over(handle, { watch: (options) => late(handle.watch(options)) as ReturnType<typeof handle.watch> })
  return over(client, { of: () => slow as never })
}

const add = (path: string, value: Json) => ({ op: 'add', path, value }) as const
const change = (more: Partial<ConfigChange>): ConfigChange => ({ global: false, modules: [], flags: [], ...more })

it('can be absent, created and deleted', () =>
  play(async ({ source, changes, signal, put, sleep, client }) => {
    await source.start(signal)
    expect(source.state).toEqual({ sections: {}, flags: {} })
    await put({ global: 'x: 1', a: 'z: 1', bEnabled: 'false' })
    await sleep(1)
    expect(source.state).toEqual({ sections: { global: { x: 1 }, a: { z: 1 } }, flags: { b: false } })
    await client.of(type).delete(name, { namespace: 'default' })
    await sleep(1)
    expect(source.state).toEqual({ sections: {}, flags: {} })
    const all = change({ global: true, modules: ['a'], flags: ['b'] })
    expect(changes).toEqual([all, all])
  }))

it('[addons Z2] reacts to a change of a flag only', () =>
  play(
    async ({ source, changes, signal, patch, sleep }) => {
      await source.start(signal)
      await patch(type, name, { data: { aEnabled: 'true' } })
      await sleep(1)
      await patch(type, name, { data: { aEnabled: 'false' } })
      await sleep(1)
      await patch(type, name, { metadata: { labels: { other: 'thing' } } })
      await sleep(1)
      expect(changes).toEqual([change({ flags: ['a'] }), change({ flags: ['a'] })])
      expect(source.state.flags).toEqual({ a: false })
    },
    { a: 'x: 1' },
  ))

it('keeps the previous configuration when a section becomes invalid and reports it once', () =>
  play(
    async ({ source, changes, refused, signal, patch, sleep }) => {
      await source.start(signal)
      await patch(type, name, { data: { a: '[', b: 'z: 1' } })
      await sleep(1)
      await patch(type, name, { data: { b: 'z: 2' } })
      await sleep(1)
      expect(source.state.sections).toEqual({ a: { x: 1 }, b: { z: 2 } })
      expect(changes).toEqual([change({ modules: ['b'] }), change({ modules: ['b'] })])
      expect(refused).toEqual(['a'])
      await patch(type, name, { data: { a: 'x: 2' } })
      await sleep(1)
      expect(source.state.sections['a']).toEqual({ x: 2 })
    },
    { a: 'x: 1' },
  ))

it('fails at start with the name of an invalid section', () =>
  play(
    async ({ source, signal }) => {
      await expect(source.start(signal)).rejects.toMatchObject({
        code: 'CRB_CONFIG_MAP_INVALID',
        message: expect.stringMatching(
          /^ConfigMap default\/addon-operator cannot be used: aEnabled: expected true or false/,
        ),
      })
    },
    { aEnabled: 'perhaps' },
  ))

it('does not react to writes of hooks', () =>
  play(async ({ source, changes, signal, read, sleep }) => {
    await source.start(signal)
    const values = new Values({ sections: {}, flags: {} })
    const keep = (owner: string, config: Json[], own: Json[] = []) =>
      applyPatches(
        { values, configMap: source },
        owner,
        {
          values: own.length > 0 ? JSON.stringify(own) : '',
          configValues: JSON.stringify(config),
        },
        signal,
      )
    expect(await keep('a', [add('/a/x', 1)], [add('/a/y', 2)])).toEqual({ changed: true, flagsChanged: false })
    expect(values.effective('a')['a']).toEqual({ x: 1, y: 2 })
    expect(await keep('a', [add('/a/x', 1)])).toEqual({ changed: false, flagsChanged: false })
    expect(await keep('global', [add('/bEnabled', true)])).toEqual({ changed: false, flagsChanged: true })
    await sleep(2)
    expect(await read()).toEqual({ a: 'x: 1\n', bEnabled: 'true' })
    expect(source.state).toEqual({ sections: { a: { x: 1 } }, flags: { b: true } })
    expect(changes).toEqual([])
  }))

it('[addons Q6] stores nothing of refused patches', () =>
  play(
    async ({ source, signal, read }) => {
      await source.start(signal)
      const values = new Values({ sections: {}, flags: {} })
      values.setConfig(source.state)
      const texts = { values: JSON.stringify([add('/b/x', 1)]), configValues: JSON.stringify([add('/a/x', 2)]) }
      await expect(applyPatches({ values, configMap: source }, 'a', texts, signal)).rejects.toThrow(
        /may only change \/a/,
      )
      expect(await read()).toEqual({ a: 'x: 1' })
      expect(values.effective('a')['a']).toEqual({ x: 1 })
    },
    { a: 'x: 1' },
  ))

it('merges concurrent writes and reacts to those of others', () =>
  play(
    async ({ source, changes, signal, read, sleep, patch }) => {
      await source.start(signal)
      const writes = [1, 2, 3].map((value) =>
        source.save('a', { operations: [add('/a/list/-', value)], flags: {} }, signal),
      )
      const others = ['one', 'two', 'three'].map((word) => patch(type, name, { data: { b: `word: ${word}` } }))
      await Promise.all([...writes, ...others])
      await sleep(2)
      expect(await read()).toMatchObject({ a: 'list:\n- 1\n- 2\n- 3\n' })
      expect(source.state.sections['a']).toEqual({ list: [1, 2, 3] })
      expect(source.state.sections['b']).toEqual({ word: expect.any(String) })
      expect(changes.every(({ modules }) => modules.join() === 'b')).toBe(true)
      expect(changes.length).toBeGreaterThan(0)
    },
    { a: 'list: []' },
  ))

it('is not reverted by a late watch event', () =>
  play(
    async ({ source, changes, signal, patch, sleep }) => {
      await source.start(signal)
      await sleep(5)
      await patch(type, name, { data: { b: 'word: one' } })
      await source.save('a', { operations: [add('/a/x', 2)], flags: {} }, signal)
      expect(source.state.sections).toEqual({ a: { x: 2 }, b: { word: 'one' } })
      for (let second = 0; second < 10; second++) {
        await sleep(1)
        expect(source.state.sections).toEqual({ a: { x: 2 }, b: { word: 'one' } })
      }
      await patch(type, name, { data: { b: 'word: two' } })
      await sleep(5)
      expect(changes).toEqual([change({ modules: ['b'] }), change({ modules: ['b'] })])
    },
    { a: 'x: 1' },
    2,
  ))
