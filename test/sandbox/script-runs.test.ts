/** Runs of script hooks: their order, what they are told, what becomes of failures. */
import { describe, expect, it } from 'vitest'
import { resources } from '../../src/kube/index.ts'
import { type HookPlay, playScripts } from './scripts.ts'

const labelSelector = { matchLabels: { app: 'test' } }
const maps = (more: object = {}) => ({ name: 'maps', kind: 'ConfigMap', jqFilter: '.data', labelSelector, ...more })
const v1 = (more: object, run?: HookPlay['run']): HookPlay => ({
  config: { configVersion: 'v1', ...more },
  ...(run === undefined ? {} : { run }),
})
const v0 = (config: object, run?: HookPlay['run']): HookPlay => ({ config, ...(run === undefined ? {} : { run }) })
/** Fails the given number of times. */
const failing = (times: number, seconds = 0): HookPlay['run'] => {
  let left = times
  return async ({ runtime, printError }) => {
    await runtime.clock.sleep(seconds * 1000)
    if (left-- <= 0) return 0
    printError('no luck\n')
    return 1
  }
}
const taking =
  (seconds: number): HookPlay['run'] =>
  async ({ runtime }) => {
    await runtime.clock.sleep(seconds * 1000)
    return 0
  }

describe('the start', () => {
  it('[addons B1, B5, W21, Z13] runs onStartup hooks by order, equal ones by name, then begins hook by hook', () =>
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

  it('[addons S1, X3] says onStartup and nothing else', () =>
    playScripts({ 'a.sh': v1({ onStartup: 1 }), 'b.sh': v0({ onStartup: 1 }) }, async ({ start, sleep, runs }) => {
      await start()
      await sleep(1)
      expect(runs.map(({ contexts }) => contexts)).toEqual([[{ binding: 'onStartup' }], [{ binding: 'onStartup' }]])
    }))

  it('[addons N1] runs each Synchronization in main before the next hook begins, whatever its queue', () =>
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

  it('[addons N2] keeps events back until the Synchronization succeeded', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ queue: 'own' })] }, failing(2, 1)) },
      async ({ start, configMap, remove, sleep, told }) => {
        await configMap('one', { a: '1' })
        await start()
        await sleep(2)
        await configMap('two', { b: '1' })
        await remove('one')
        await sleep(60)
        expect(told('a.sh')).toEqual([
          'maps Synchronization [default/one {"a":"1"}]',
          'maps Synchronization [default/two {"b":"1"}]',
          'maps Synchronization [default/two {"b":"1"}]',
          'maps Added default/two {"b":"1"}, maps Deleted default/one {"a":"1"}',
        ])
      },
    ))
})

describe('a run', () => {
  it('[addons N3, W17] is told of everything that came while the last one ran', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }, taking(10)) },
      async ({ start, configMap, change, sleep, told }) => {
        await start()
        await configMap('one', { a: '1' })
        await sleep(1)
        await change('one', { a: '2' })
        await configMap('two', {})
        await change('one', { a: '3' })
        await sleep(60)
        expect(told('a.sh')).toEqual([
          'maps Added default/one {"a":"1"}',
          'maps Modified default/one {"a":"2"}, maps Added default/two null, maps Modified default/one {"a":"3"}',
        ])
      },
    ))

  it('[addons X5] of a v0 hook has one element, always', () =>
    playScripts(
      { 'a.sh': v0({ onKubernetesEvent: [{ kind: 'configmap', selector: labelSelector }] }, taking(10)) },
      async ({ start, configMap, sleep, runs }) => {
        await start()
        for (const name of ['one', 'two', 'three']) await configMap(name, {})
        await sleep(60)
        expect(runs.map(({ contexts }) => contexts.length)).toEqual([1, 1, 1])
      },
    ))

  it('[addons W18, S6] of a group tells the group once, with all its snapshots', () =>
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
      async ({ start, configMap, sleep, runs, told }) => {
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
        expect(told('a.sh')).toEqual([
          'nodes Group maps=[{"a":"1"}] nodes=[]',
          'maps Group maps=[{"a":"1"}; {"b":"1"}] nodes=[]',
          'hourly Group maps=[{"a":"1"}; {"b":"1"}] nodes=[]',
        ])
      },
    ))

  it('[addons W15, S2, S7, S8] is given sorted snapshots of this very moment', () =>
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
      async ({ start, namespace, configMap, sleep, told }) => {
        await start()
        for (const name of ['a', 'a-b']) await namespace(name)
        await configMap('z', {}, 'a')
        await configMap('y', {}, 'a-b')
        await configMap('x', {}, 'a')
        await sleep(60.5)
        await configMap('new', {}, 'default')
        await sleep(20)
        expect(told('a.sh')).toEqual([
          'tick Schedule maps=[a/x null; a/z null; a-b/y null]',
          'tick Schedule maps=[a/x null; a/z null; a-b/y null; default/new null]',
        ])
      },
    ))

  it('[addons S2] has an empty snapshot rather than none', () =>
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

  it('[addons S4] is given null, a value or an array for no, one and several results of a filter', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ jqFilter: '.data // {} | to_entries[].value' })] }) },
      async ({ start, configMap, sleep, told }) => {
        await configMap('none', {})
        await configMap('one', { a: '1' })
        await configMap('two', { a: '1', b: '2' })
        await start()
        await sleep(1)
        expect(told('a.sh')).toEqual([
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

  it('[addons N7] ends with the last state of every object, told in order', () =>
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
        const told = runs.filter(({ hook }) => hook === 'a.sh').flatMap(({ contexts }) => contexts)
        expect(told.length).toBeLessThan(1400)
        const last = new Map(
          told.map(({ watchEvent, object }) => [object?.metadata.name, [watchEvent, object?.data?.['n']]]),
        )
        expect([...last.values()]).toEqual([['Deleted', '80'], ...names.slice(1).map(() => ['Modified', '80'])])
        for (const name of names) {
          const values = told
            .filter(({ object }) => object?.metadata.name === name)
            .map(({ object }) => Number(object?.data?.['n']))
          expect(values).toEqual(values.toSorted((one, other) => one - other))
        }
        const v0Runs = runs.filter(({ hook }) => hook === 'b.sh')
        expect(v0Runs.every(({ contexts }) => contexts.length === 1)).toBe(true)
      },
    ))
})

describe('a failed run', () => {
  it('[addons Q3, Q4, N6, O1] is tried again after 3 s with the same context; other queues go on', () =>
    playScripts(
      {
        'a.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }, failing(2)),
        'b.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }),
        'c.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false, queue: 'own' })] }),
      },
      async ({ start, configMap, sleep, runs, told, runtime, get, simulation }) => {
        await start()
        await configMap('one', { a: '1' })
        await sleep(2)
        expect(runs.map(({ hook }) => hook).sort()).toEqual(['a.sh', 'c.sh'])
        expect(await get('/queue')).toBe(
          [
            'Queue "main": length 2, status: sleep after fail for 3s',
            '1. HookRun:main:kubernetes:a.sh:maps:failures 1',
            '2. HookRun:main:kubernetes:b.sh:maps:failures 0',
            '',
          ].join('\n'),
        )
        await configMap('two', { a: '2' })
        await sleep(20)
        expect(told('a.sh')).toEqual([
          'maps Added default/one {"a":"1"}',
          'maps Added default/one {"a":"1"}',
          'maps Added default/one {"a":"1"}',
          'maps Added default/two {"a":"2"}',
        ])
        const times = runs.filter(({ hook }) => hook === 'a.sh').map(({ at }) => at)
        expect(times.map((at) => Math.round(at - (times[0] ?? 0)))).toEqual([0, 3, 9, 9])
        expect(await runtime.metrics.render()).toContain('shell_operator_hook_errors{hook="a.sh"} 2')
        const failure = simulation.logs.find(({ message }) => message === 'hook failed: it is tried again')
        expect(failure?.fields).toMatchObject({ hook: 'a.sh', binding: 'maps', queue: 'main', failures: 1 })
        expect(String(failure?.fields?.['error'])).toContain('no luck')
      },
    ))

  it('[addons Q5, W16, N5] is let go where it may fail, the first of a batch deciding for all', () =>
    playScripts(
      {
        'a.sh': v1(
          {
            kubernetes: [
              maps({ executeHookOnSynchronization: false, allowFailure: true }),
              maps({ name: 'strict', executeHookOnSynchronization: false }),
            ],
          },
          failing(1),
        ),
        'b.sh': v0({ schedule: [{ crontab: '30 * * * * *', allowFailure: true }] }, failing(1)),
      },
      async ({ start, configMap, sleep, told, runtime }) => {
        await start()
        await configMap('one', {})
        await sleep(59)
        expect(told('a.sh')).toEqual(['maps Added default/one null, strict Added default/one null'])
        expect(told('b.sh')).toHaveLength(1)
        const metrics = await runtime.metrics.render()
        expect(metrics).toContain('shell_operator_hook_allowed_errors{hook="a.sh"} 1')
        expect(metrics).toContain('shell_operator_hook_allowed_errors{hook="b.sh"} 1')
        expect(metrics).not.toContain('shell_operator_hook_errors')
      },
    ))

  it('waits longer each time, up to the ceiling it was told', () =>
    playScripts(
      { 'a.sh': v1({ onStartup: 1 }, failing(4)) },
      async ({ start, runs }) => {
        await start()
        expect(runs.map(({ at }) => Math.round(at))).toEqual([0, 1, 3, 5, 7])
      },
      { surface: { retry: { backoff: 1000, maxBackoff: 2000 } } },
    ))
})

describe('what a run asked for', () => {
  it('is done in order, metrics first; what cannot be done is a failure', () =>
    playScripts(
      {
        'a.sh': v1({ onStartup: 1 }, async ({ spec, runtime: { files } }) => {
          await files.write(
            spec.env['METRICS_PATH'] ?? '',
            '{"name":"shop_runs_total","action":"add","value":1,"labels":{}}\n',
          )
          const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace: 'later' } }
          await files.write(
            spec.env['KUBERNETES_PATCH_PATH'] ?? '',
            JSON.stringify({ operation: 'CreateIfNotExists', object }),
          )
          return 0
        }),
      },
      async ({ start, namespace, sleep, get, client, simulation }) => {
        const started = start()
        await sleep(2)
        expect(await get('/metrics/hooks')).toContain('shop_runs_total{hook="a.sh"} 1')
        expect(simulation.logs.some(({ fields }) => String(fields?.['error']).includes('"later" not found'))).toBe(true)
        await namespace('later')
        await started
        expect(await get('/metrics/hooks')).toContain('shop_runs_total{hook="a.sh"} 2')
        const made = await client.of(resources.configMaps).get('made', { namespace: 'later' })
        expect(made.metadata.name).toBe('made')
      },
    ))
})

describe('the end', () => {
  it('tells hooks that run to end, begins nothing more and leaves no files', () => {
    const ended: string[] = []
    return playScripts(
      {
        'a.sh': v1({ onStartup: 1, kubernetes: [maps()] }, async ({ runtime, trap }) => {
          let isOver = false
          trap('SIGTERM', () => {
            ended.push('told')
            isOver = true
          })
          while (!isOver) await runtime.clock.sleep(100)
          return 0
        }),
      },
      async ({ start, stop, sleep, runs, runtime }) => {
        void start()
        await sleep(5)
        await stop()
        await sleep(5)
        expect(ended).toEqual(['told'])
        expect(runs).toHaveLength(1)
        expect(await runtime.files.list('/tmp/hooks')).toEqual([])
      },
    )
  })
})

describe('signs of life', () => {
  it('[addons O6] are counted under the names that dashboards know', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ queue: 'own' }), { kind: 'Nothing' }] }) },
      async ({ start, configMap, sleep, runtime }) => {
        await configMap('one', {})
        await start()
        await configMap('two', {})
        await sleep(6)
        const metrics = await runtime.metrics.render()
        const own = 'hook="a.sh",binding="maps",queue="own"'
        const main = 'hook="a.sh",binding="maps",queue="main"'
        for (const line of [
          `shell_operator_hook_run_success_total{${main}} 1`,
          `shell_operator_hook_run_success_total{${own}} 1`,
          `shell_operator_hook_run_seconds_count{${own}} 1`,
          `shell_operator_task_wait_in_queue_seconds_total{${own}} 0`,
          `shell_operator_kube_snapshot_objects{${own}} 2`,
          `shell_operator_kube_jq_filter_duration_seconds_count{${own}} 2`,
          `shell_operator_kube_event_duration_seconds_count{${own}} 1`,
          'shell_operator_tasks_queue_length{queue="own"} 0',
          'shell_operator_hook_enable_kubernetes_bindings_success{hook="a.sh"} 1',
          'shell_operator_hook_enable_kubernetes_bindings_errors_total{hook="a.sh"} 1',
        ])
          expect(metrics).toContain(line)
      },
    ))

  it('[addons O1, O2, O3] are metrics, the queue over HTTP and its dump in files, in the document’s words', () =>
    playScripts(
      { 'a.sh': v0({ onStartup: 1, schedule: [{ crontab: '*/20 * * * * *' }] }, failing(100)) },
      async ({ start, stop, sleep, runtime, get }) => {
        void start()
        await sleep(31)
        const metrics = await runtime.metrics.render()
        expect(metrics).toContain('addon_operator_live_ticks 3')
        expect(metrics).toContain('addon_operator_tasks_queue_length{queue="main"} 2')
        expect(metrics).toMatch(/addon_operator_hook_errors\{hook="global-hooks\/a.sh"\} \d/)
        expect(metrics).toMatch(/addon_operator_global_hook_errors\{hook="global-hooks\/a.sh"\} \d/)
        const text = await get('/queue')
        expect(text).toMatch(/1\. HookRun:main:onStartup:global-hooks\/a\.sh:onStartup:failures \d/)
        expect(text).toContain('2. EnableScheduleBindings:main:global-hooks/a.sh:failures 0')
        for (const path of ['/tmp/addon-operator-queue', '/tmp/addon-operator-tasks-queue'])
          expect(await runtime.files.readText(path)).toBe(text)
        expect(await runtime.files.list('/tmp')).toEqual([
          'addon-operator-queue',
          'addon-operator-tasks-queue',
          'hooks',
        ])
        await stop()
      },
      {
        surface: {
          place: { layout: 'document', workingDir: '/addons' },
          queueFiles: ['/tmp/addon-operator-queue', '/tmp/addon-operator-tasks-queue'],
        },
      },
    ))
})
