/** Runs of script hooks: order and contexts. */
import { describe, expect, it } from 'vitest'
import { failing, type HookPlay, labelSelector, maps, playScripts, v0, v1 } from './scripts.ts'

const taking =
  (seconds: number): HookPlay['run'] =>
  async ({ runtime }) => {
    await runtime.clock.sleep(seconds * 1000)
    return 0
  }

describe('the start', () => {
  it('[addons B1, B5, W21, Z13] runs onStartup hooks by order, equal ones by name, then synchronizes hook by hook', () =>
    playScripts(
      {
        'c.sh': v1({ onStartup: 1, kubernetes: [maps()] }),
        'b.sh': v1({ onStartup: 1, kubernetes: [maps()] }),
        'a.sh': v0({ onStartup: 1.5 }),
        'd.sh': v0({ onStartup: -1 }),
      },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(1)
        expect(runs.map(({ hook, contexts }) => `${hook} ${contexts[0]?.type ?? contexts[0]?.binding}`)).toEqual([
          'd.sh onStartup',
          'b.sh onStartup',
          'c.sh onStartup',
          'a.sh onStartup',
          'b.sh Synchronization',
          'c.sh Synchronization',
        ])
      },
    ))

  it('[addons S1, X3] passes only onStartup', () =>
    playScripts({ 'a.sh': v1({ onStartup: 1 }), 'b.sh': v0({ onStartup: 1 }) }, async ({ start, sleep, runs }) => {
      await start()
      await sleep(1)
      expect(runs.map(({ contexts }) => contexts)).toEqual([[{ binding: 'onStartup' }], [{ binding: 'onStartup' }]])
    }))

  it('[addons N1] runs each Synchronization in main before the next hook starts, regardless of its queue', () =>
    playScripts(
      {
        'a.sh': v1({ kubernetes: [maps({ queue: 'own' })] }, taking(5)),
        'b.sh': v1({ kubernetes: [maps()] }),
      },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(1)
        expect(runs.map(({ hook, at }) => `${hook} ${Math.floor(at)}`)).toEqual(['a.sh 0', 'b.sh 5'])
      },
    ))

  it('[addons N2] delays events until the Synchronization succeeded', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ queue: 'own' })] }, failing(2, 1)) },
      async ({ start, configMap, remove, sleep, contextsOf }) => {
        await configMap('one', { a: '1' })
        await start()
        await sleep(2)
        await configMap('two', { b: '1' })
        await remove('one')
        await sleep(60)
        expect(contextsOf('a.sh')).toEqual([
          'maps Synchronization [default/one {"a":"1"}]',
          'maps Synchronization [default/two {"b":"1"}]',
          'maps Synchronization [default/two {"b":"1"}]',
          'maps Added default/two {"b":"1"}, maps Deleted default/one {"a":"1"}',
        ])
      },
    ))
})

describe('a run', () => {
  it('[addons N3, W17] receives all events that arrived during the previous run', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }, taking(10)) },
      async ({ start, configMap, change, sleep, contextsOf }) => {
        await start()
        await configMap('one', { a: '1' })
        await sleep(1)
        await change('one', { a: '2' })
        await configMap('two', {})
        await change('one', { a: '3' })
        await sleep(60)
        expect(contextsOf('a.sh')).toEqual([
          'maps Added default/one {"a":"1"}',
          'maps Modified default/one {"a":"2"}, maps Added default/two null, maps Modified default/one {"a":"3"}',
        ])
      },
    ))

  it('[addons X5] of a v0 hook always has one element', () =>
    playScripts(
      { 'a.sh': v0({ onKubernetesEvent: [{ kind: 'configmap', selector: labelSelector }] }, taking(10)) },
      async ({ start, configMap, sleep, runs }) => {
        await start()
        for (const name of ['one', 'two', 'three']) await configMap(name, {})
        await sleep(60)
        expect(runs.map(({ contexts }) => contexts.length)).toEqual([1, 1, 1])
      },
    ))

  it('[addons W18, S6] of a group has one element with all snapshots of the group', () =>
    playScripts(
      {
        'a.sh': v1({
          kubernetes: [
            maps({ group: 'all', keepFullObjectsInMemory: false }),
            { name: 'nodes', kind: 'Node', group: 'all', jqFilter: '.metadata.name', keepFullObjectsInMemory: false },
          ],
          schedule: [{ name: 'hourly', crontab: '0 0 * * * *', group: 'all' }],
        }),
      },
      async ({ start, configMap, sleep, runs, contextsOf }) => {
        await configMap('one', { a: '1' })
        await start()
        await sleep(1)
        await configMap('two', { b: '1' })
        await sleep(3700)
        expect(runs.map(({ contexts }) => contexts.map(({ snapshots: _, ...rest }) => rest))).toEqual([
          [{ binding: 'nodes', type: 'Group', groupName: 'all' }],
          [{ binding: 'maps', type: 'Group', groupName: 'all' }],
          [{ binding: 'hourly', type: 'Group', groupName: 'all' }],
        ])
        expect(contextsOf('a.sh')).toEqual([
          'nodes Group maps=[{"a":"1"}] nodes=[]',
          'maps Group maps=[{"a":"1"}; {"b":"1"}] nodes=[]',
          'hourly Group maps=[{"a":"1"}; {"b":"1"}] nodes=[]',
        ])
      },
    ))

  it('[addons W15, S2, S7, S8] receives sorted, current snapshots', () =>
    playScripts(
      {
        'a.sh': v1(
          {
            kubernetes: [maps({ executeHookOnSynchronization: false, executeHookOnEvent: [] })],
            schedule: [{ name: 'tick', crontab: '0 * * * * *', includeSnapshotsFrom: ['maps'] }],
          },
          failing(1),
        ),
      },
      async ({ start, namespace, configMap, sleep, contextsOf }) => {
        await start()
        for (const name of ['a', 'a-b']) await namespace(name)
        await configMap('z', {}, 'a')
        await configMap('y', {}, 'a-b')
        await configMap('x', {}, 'a')
        await sleep(60.5)
        await configMap('new', {}, 'default')
        await sleep(20)
        expect(contextsOf('a.sh')).toEqual([
          'tick Schedule maps=[a/x null; a/z null; a-b/y null]',
          'tick Schedule maps=[a/x null; a/z null; a-b/y null; default/new null]',
        ])
      },
    ))

  it('[addons S2] receives an empty snapshot instead of none', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ includeSnapshotsFrom: ['maps'] })] }) },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(1)
        expect(runs[0]?.contexts).toEqual([
          { binding: 'maps', type: 'Synchronization', objects: [], snapshots: { maps: [] } },
        ])
      },
    ))

  it('[addons S4] receives null, a value or an array for no, one and several filter results', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ jqFilter: '.data // {} | to_entries[].value' })] }) },
      async ({ start, configMap, sleep, contextsOf }) => {
        await configMap('none', {})
        await configMap('one', { a: '1' })
        await configMap('two', { a: '1', b: '2' })
        await start()
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual([
          'maps Synchronization [default/none null; default/one "1"; default/two ["1","2"]]',
        ])
      },
    ))
})

describe('a storm', () => {
  let isFirst = true
  const slowAtFirst: HookPlay['run'] = async ({ runtime }) => {
    if (isFirst) await runtime.clock.sleep(20_000)
    isFirst = false
    return 0
  }

  it('[addons N7] ends with the last state of every object, in order', () =>
    playScripts(
      {
        'a.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }, slowAtFirst),
        'b.sh': v0({ onKubernetesEvent: [{ kind: 'cm', selector: labelSelector, event: ['update'] }] }),
      },
      async ({ start, configMap, change, remove, sleep, runs }) => {
        const names = Array.from({ length: 20 }, (_, index) => `m${index}`)
        for (const name of names) await configMap(name, { n: '0' })
        await start()
        for (let round = 1; round <= 80; round++) for (const name of names) await change(name, { n: `${round}` })
        await remove('m0')
        await sleep(60)
        const received = runs.filter(({ hook }) => hook === 'a.sh').flatMap(({ contexts }) => contexts)
        expect(received.length).toBeLessThan(1400)
        const last = new Map(
          received.map(({ watchEvent, object }) => [object?.metadata.name, [watchEvent, object?.data?.['n']]]),
        )
        expect([...last.values()]).toEqual([['Deleted', '80'], ...names.slice(1).map(() => ['Modified', '80'])])
        for (const name of names) {
          const values = received
            .filter(({ object }) => object?.metadata.name === name)
            .map(({ object }) => Number(object?.data?.['n']))
          expect(values).toEqual(values.toSorted((one, other) => one - other))
        }
        const v0Runs = runs.filter(({ hook }) => hook === 'b.sh')
        expect(v0Runs.every(({ contexts }) => contexts.length === 1)).toBe(true)
      },
    ))
})
