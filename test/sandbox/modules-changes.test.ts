/** What triggers module runs: the ConfigMap, and hooks that change values. */
import { describe, expect, it } from 'vitest'
import { patch, playModules, readJson, type WorldPlay } from './modules.ts'
import { labelSelector, maps, v0, v1 } from './scripts.ts'

/** Removes the values of releases. */
const inShort = (lines: readonly string[]) => lines.map((line) => line.replace(/ \{.*/, ''))

const two = {
  globalHooks: { 'g.sh': v0({ beforeAll: 1, afterAll: 1 }) },
  modules: {
    '001-web': { chart: true, hooks: { 'a.sh': v0({ onStartup: 1, beforeHelm: 1, afterHelm: 1 }) } },
    '002-node-exporter': { chart: true, hooks: { 'a.sh': v0({ beforeHelm: 1 }) } },
  },
}

const everything = [
  'global-hooks/g.sh beforeAll',
  '001-web/hooks/a.sh beforeHelm',
  '001-web/hooks/a.sh afterHelm',
  '002-node-exporter/hooks/a.sh beforeHelm',
  'global-hooks/g.sh afterAll',
]

describe('modules run again', () => {
  it('[addons B2, B3] all when global values of the ConfigMap change, one when its own values change', () =>
    playModules(two, async (stage) => {
      await stage.start()
      stage.news()
      await stage.configure({ global: 'project: shop\n' })
      await stage.sleep(5)
      const values = { global: { project: 'shop', enabledModules: ['web', 'node-exporter'] } }
      expect(stage.news()).toEqual([
        ...everything.slice(0, 2),
        `helm upgrade web ${JSON.stringify({ ...values, web: {} })}`,
        ...everything.slice(2, 4),
        `helm upgrade node-exporter ${JSON.stringify({ ...values, nodeExporter: {} })}`,
        'global-hooks/g.sh afterAll',
      ])
      await stage.configure({ nodeExporter: 'port: 9100\n' })
      await stage.sleep(5)
      expect(stage.news()).toEqual([
        '002-node-exporter/hooks/a.sh beforeHelm',
        `helm upgrade node-exporter ${JSON.stringify({ ...values, nodeExporter: { port: 9100 } })}`,
      ])
    }))

  it('[addons Z2] when only a flag changes: the module is removed, and starts again when it is enabled', () =>
    playModules(two, async (stage) => {
      await stage.configure({ global: 'project: shop\n', webEnabled: 'true' })
      await stage.start()
      stage.news()
      await stage.configure({ webEnabled: 'false' })
      await stage.sleep(5)
      expect(inShort(stage.news())).toEqual([
        'global-hooks/g.sh beforeAll',
        '002-node-exporter/hooks/a.sh beforeHelm',
        'helm upgrade node-exporter',
        'helm uninstall web',
        'helm purge web',
        'global-hooks/g.sh afterAll',
      ])
      await stage.configure({ webEnabled: 'true' })
      await stage.sleep(5)
      expect(inShort(stage.news())).toEqual([
        'global-hooks/g.sh beforeAll',
        '001-web/hooks/a.sh onStartup',
        '001-web/hooks/a.sh beforeHelm',
        'helm upgrade web',
        '001-web/hooks/a.sh afterHelm',
        '002-node-exporter/hooks/a.sh beforeHelm',
        'helm upgrade node-exporter',
        'global-hooks/g.sh afterAll',
      ])
    }))

  it('[addons B3] when a hook changes values on an event or schedule, but not when it changes them before the release', () => {
    let n = 0
    return playModules(
      {
        modules: {
          '001-web': {
            chart: true,
            hooks: {
              'a.sh': v1({ beforeHelm: 1, kubernetes: [maps({ executeHookOnSynchronization: false })] }, (process) => {
                n++
                return patch(process, [{ op: 'add', path: '/web/n', value: n }])
              }),
            },
          },
        },
      },
      async (stage) => {
        const { client } = stage
        await stage.start()
        const values = (count: number) =>
          `helm upgrade web ${JSON.stringify({ global: { enabledModules: ['web'] }, web: { n: count } })}`
        expect(stage.news()).toEqual(['001-web/hooks/a.sh beforeHelm', values(1)])
        await client.raw('POST', '/api/v1/namespaces/default/configmaps', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'x', labels: labelSelector.matchLabels },
        })
        await stage.sleep(5)
        expect(stage.news()).toEqual(['001-web/hooks/a.sh maps', '001-web/hooks/a.sh beforeHelm', values(3)])
        await stage.sleep(60)
        expect(stage.news()).toEqual([])
      },
    )
  })

  it('[addons B2, B3] until hooks after the release and afterAll leave the values unchanged', async () => {
    const count = (key: string, until: number) => async (process: Parameters<typeof patch>[0]) => {
      const values = (await readJson(process, 'VALUES_PATH')) as Record<string, Record<string, number>>
      const n = values[key]?.['n'] ?? 0
      return n >= until ? 0 : patch(process, [{ op: 'add', path: `/${key}/n`, value: n + 1 }])
    }
    const web = { chart: true, hooks: { 'a.sh': v0({ afterHelm: 1 }, count('web', 1)) } }
    const settle = (globalHooks: WorldPlay['globalHooks'], values: object) =>
      playModules({ modules: { '001-web': web }, ...(globalHooks && { globalHooks }) }, async (stage) => {
        await stage.start()
        await stage.sleep(20)
        expect(stage.helm.releases.get('web')?.values).toEqual(values)
        const runs = stage.journal.length
        await stage.sleep(60)
        expect(stage.journal).toHaveLength(runs)
      })
    await settle(undefined, { global: { enabledModules: ['web'] }, web: { n: 1 } })
    const g = v0({ afterAll: 1 }, count('global', 2))
    await settle({ 'g.sh': g }, { global: { n: 2, enabledModules: ['web'] }, web: { n: 1 } })
  })

  it('not when a hook writes to the ConfigMap', () =>
    playModules(
      {
        globalHooks: {
          'g.sh': v0({ beforeAll: 1 }, (process) =>
            patch(process, [{ op: 'add', path: '/global/zone', value: 'a' }], 'CONFIG_VALUES_JSON_PATCH_PATH'),
          ),
        },
        modules: { '001-web': { chart: true } },
      },
      async (stage) => {
        await stage.start()
        await stage.sleep(30)
        expect(inShort(stage.journal)).toEqual(['global-hooks/g.sh beforeAll', 'helm upgrade web'])
        expect(await stage.configured()).toEqual({ global: 'zone: a\n' })
      },
    ))

  it('with the newest request, which replaces the running one', () =>
    playModules(two, async (stage) => {
      stage.helm.refuse = (_, name) => (name === 'web' ? 'never' : undefined)
      void stage.start()
      await stage.sleep(5)
      // It always fails; once it is disabled it blocks no other module.
      await stage.configure({ web: 'false' })
      await stage.sleep(40)
      expect(inShort(stage.journal).slice(-4)).toEqual([
        'global-hooks/g.sh beforeAll',
        '002-node-exporter/hooks/a.sh beforeHelm',
        'helm upgrade node-exporter',
        'global-hooks/g.sh afterAll',
      ])
    }))
})
