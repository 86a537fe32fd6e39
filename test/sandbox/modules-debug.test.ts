/** What the debug endpoints show of modules. */
import { describe, expect, it } from 'vitest'
import { type ModulesStage, patch, playModules } from './modules.ts'
import { v0 } from './scripts.ts'

const socket = '/var/run/shell-operator/debug.socket'
const options = { debug: [{ socket }] }

async function ask({ runtime }: ModulesStage, target: string) {
  const request = { method: 'GET', target, headers: {} }
  const { status, body } = await runtime.http.request({ origin: 'http://localhost', socket }, request)
  return { status, text: new TextDecoder().decode(body as Uint8Array) }
}

const world = {
  globalHooks: { 'g.sh': v0({ beforeAll: 1 }) },
  modules: {
    '001-web': {
      values: 'web:\n  port: 80\n',
      hooks: {
        'a.sh': v0({ beforeHelm: 1 }, (process) => patch(process, [{ op: 'add', path: '/web/ready', value: true }])),
      },
    },
    '002-store': { chart: true, enabled: async () => 'false' },
  },
}

describe('modules', () => {
  it('are listed with the reason why they are enabled and shown with their values', () =>
    playModules(
      world,
      async (stage) => {
        await stage.configure({ web: 'host: shop\n', global: 'zone: a\n' })
        await stage.start()
        const list = JSON.parse((await ask(stage, '/module/list.json')).text)
        expect(list).toEqual([
          { name: 'web', order: 1, enabled: true, by: 'default' },
          { name: 'store', order: 2, enabled: false, by: 'script' },
        ])
        expect((await ask(stage, '/module/list.text')).text).toBe('web on by default\nstore off by script\n')
        expect(JSON.parse((await ask(stage, '/module/web/values.json')).text)).toEqual({
          global: { zone: 'a', enabledModules: ['web'] },
          web: { port: 80, host: 'shop', ready: true },
        })
        expect((await ask(stage, '/module/web/config.yaml')).text).toContain('host: shop')
        expect(JSON.parse((await ask(stage, '/global/values.json')).text)).toEqual({
          global: { zone: 'a', enabledModules: ['web'] },
        })
        expect(JSON.parse((await ask(stage, '/global/config.json')).text)).toEqual({ global: { zone: 'a' } })
        expect(JSON.parse((await ask(stage, '/module/web/patches.json')).text)).toEqual([
          { op: 'add', path: '/web/ready', value: true },
        ])
        expect(JSON.parse((await ask(stage, '/global/patches.json')).text)).toEqual([])
        expect(await ask(stage, '/module/shop/values.text')).toEqual({
          status: 404,
          text: 'there is no module shop; there are web, store\n',
        })
        expect((await ask(stage, '/nothing.text')).text).toContain('there is no GET /nothing.text')
      },
      options,
    ))

  it('are listed in queue order and counted', () =>
    playModules(
      {
        globalHooks: { 'g.sh': v0({ beforeAll: 1, afterAll: 1 }) },
        modules: { '001-web': { chart: true }, '002-store': { chart: true } },
      },
      async (stage) => {
        stage.helm.refuse = () => 'no'
        stage.helm.put('gone', { moduleChecksum: 'x' })
        void stage.start()
        await stage.sleep(3)
        expect(await stage.get('/queue')).toBe(
          [
            'Queue "main": length 5, status: sleep after fail for 3s',
            '1. ModuleRun:main:web:failures 1',
            '2. ModuleRun:main:store:failures 0',
            '3. ModulePurge:main:gone:failures 0',
            '4. HookRun:main:afterAll:global-hooks/g.sh:afterAll:failures 0',
            '5. ConvergeEnd:main:failures 0',
            '',
          ].join('\n'),
        )
        stage.helm.refuse = () => undefined
        await stage.sleep(20)
        const metrics = await stage.runtime.metrics.render()
        expect(metrics).toContain('addon_operator_module_run_errors{module="web"} 1')
        expect(metrics).toContain('addon_operator_convergence_total 1')
        expect(metrics).toContain('addon_operator_mm_module_enabled{module="web"} 1')
        expect(metrics).toContain('addon_operator_module_run_seconds_count{module="web"} 1')
      },
      options,
    ))
})
