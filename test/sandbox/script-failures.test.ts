/** Failed runs of script hooks, effects of runs, shutdown and metrics. */
import { describe, expect, it } from 'vitest'
import { resources } from '../../src/kube/index.ts'
import { failing, maps, playScripts, v0, v1 } from './scripts.ts'

describe('a failed run', () => {
  it('[addons Q3, Q4, N6, O1] is retried after 3 s with the same context while other queues continue', () =>
    playScripts(
      {
        'a.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }, failing(2)),
        'b.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false })] }),
        'c.sh': v1({ kubernetes: [maps({ executeHookOnSynchronization: false, queue: 'own' })] }),
      },
      async ({ start, configMap, sleep, runs, contextsOf, runtime, get, simulation }) => {
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
        expect(contextsOf('a.sh')).toEqual([
          'maps Added default/one {"a":"1"}',
          'maps Added default/one {"a":"1"}',
          'maps Added default/one {"a":"1"}',
          'maps Added default/two {"a":"2"}',
        ])
        const times = runs.filter(({ hook }) => hook === 'a.sh').map(({ at }) => at)
        expect(times.map((at) => Math.round(at - (times[0] ?? 0)))).toEqual([0, 3, 9, 9])
        expect(await runtime.metrics.render()).toContain('shell_operator_hook_errors{hook="a.sh"} 2')
        const failure = simulation.logs.find(({ message }) => message === 'hook failed: retrying')
        expect(failure?.fields).toMatchObject({
          hook: 'a.sh',
          binding: 'maps',
          queue: 'main',
          failures: 1,
          retryIn: '3s',
        })
        expect(String(failure?.fields?.['error'])).toContain('no luck')
      },
    ))

  it('[addons Q5, W16, N5] is dropped with allowFailure; the first of a batch decides for all', () =>
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
      async ({ start, configMap, sleep, contextsOf, runtime }) => {
        await start()
        await configMap('one', {})
        await sleep(59)
        expect(contextsOf('a.sh')).toEqual(['maps Added default/one null, strict Added default/one null'])
        expect(contextsOf('b.sh')).toHaveLength(1)
        const metrics = await runtime.metrics.render()
        expect(metrics).toContain('shell_operator_hook_allowed_errors{hook="a.sh"} 1')
        expect(metrics).toContain('shell_operator_hook_allowed_errors{hook="b.sh"} 1')
        expect(metrics).not.toContain('shell_operator_hook_errors')
      },
    ))

  it('is retried with back-off up to the configured maximum', () =>
    playScripts(
      { 'a.sh': v1({ onStartup: 1 }, failing(4)) },
      async ({ start, runs }) => {
        await start()
        expect(runs.map(({ at }) => Math.round(at))).toEqual([0, 1, 3, 5, 7])
      },
      { surface: { retry: { backoff: 1000, maxBackoff: 2000 } } },
    ))
})

describe('the effects of a run', () => {
  it('are applied in order, metrics first; an effect that fails makes the run fail', () =>
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

describe('shutdown', () => {
  it('stops running hooks, starts no more and leaves no files', () => {
    const ended: string[] = []
    return playScripts(
      {
        'a.sh': v1({ onStartup: 1, kubernetes: [maps()] }, async ({ runtime, trap }) => {
          let isOver = false
          trap('SIGTERM', () => {
            ended.push('stopped')
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
        expect(ended).toEqual(['stopped'])
        expect(runs).toHaveLength(1)
        expect(await runtime.files.list('/tmp/hooks')).toEqual([])
      },
    )
  })
})

describe('metrics and debug output', () => {
  it('[addons O6] use the metric names of shell-operator', () =>
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

  it('[addons O1, O2, O3] are metrics, the queue over HTTP and its dump in files, as documented', () =>
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
