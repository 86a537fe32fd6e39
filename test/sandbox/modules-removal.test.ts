/** How modules are removed: disabled by flags and scripts, or without folder. */
import { describe, expect, it } from 'vitest'
import { playModules, readJson } from './modules.ts'
import { labelSelector, maps, v0, v1 } from './scripts.ts'

const leaving = {
  'a.sh': v0({ afterDeleteHelm: 2, beforeHelm: 1 }),
  'b.sh': v0({ beforeDeleteHelm: 1, afterDeleteHelm: 1 }),
}

const end = [
  '001-web/hooks/b.sh beforeDeleteHelm',
  'helm uninstall web',
  '001-web/hooks/b.sh afterDeleteHelm',
  '001-web/hooks/a.sh afterDeleteHelm',
  'helm purge web',
]

const mark = { moduleChecksum: 'x' }

describe('modules that are disabled', () => {
  it('[addons B4] by the ConfigMap run their hooks around the removal of the release, and none afterwards', () =>
    playModules(
      {
        modules: {
          '001-web': {
            chart: true,
            hooks: { ...leaving, 'c.sh': v0({ schedule: [{ crontab: '*/10 * * * * *' }] }) },
          },
        },
      },
      async (stage) => {
        await stage.start()
        stage.news()
        await stage.sleep(10)
        expect(stage.news()).toEqual(['001-web/hooks/c.sh schedule'])
        await stage.configure({ web: 'false' })
        await stage.sleep(30)
        expect(stage.news()).toEqual(end)
        expect(stage.helm.releases.size).toBe(0)
      },
    ))

  it('[addons B4] by their script, which reads values; a failure of the script is logged and retried', () => {
    const answers = ['true', 'perhaps', 'false']
    const seen: unknown[] = []
    return playModules(
      {
        modules: {
          '000-base': {},
          '001-web': {
            chart: true,
            hooks: leaving,
            enabled: async (process) => {
              seen.push(await readJson(process, 'VALUES_PATH'))
              return answers.shift() ?? 'false'
            },
          },
        },
      },
      async (stage) => {
        await stage.start()
        stage.news()
        await stage.configure({ global: 'count: 1\n' })
        await stage.sleep(20)
        expect(stage.news()).toEqual(end)
        expect(seen.at(-1)).toEqual({ global: { count: 1, enabledModules: ['base'] }, web: {} })
        const failures = stage.simulation.logs.filter(({ fields }) => fields?.['task'] === 'DiscoverModulesState')
        expect(JSON.stringify(failures[0]?.fields?.['error'])).toContain('perhaps')
        expect(await stage.runtime.metrics.render()).toContain('addon_operator_modules_discover_errors 1')
      },
    )
  })

  it('[addons B4] before the operator started have their releases removed, with snapshots for hooks', () =>
    playModules(
      {
        modules: {
          '001-web': {
            chart: true,
            hooks: {
              'a.sh': v1(
                { afterDeleteHelm: 1, kubernetes: [{ name: 'spaces', kind: 'Namespace' }] },
                async (process) => {
                  const [context] = (await readJson(process, 'BINDING_CONTEXT_PATH')) as [{ snapshots: { spaces: [] } }]
                  expect(context.snapshots.spaces.length).toBeGreaterThan(0)
                  return 0
                },
              ),
            },
          },
        },
      },
      async (stage) => {
        stage.helm.put('web', mark)
        await stage.configure({ webEnabled: 'false' })
        await stage.start()
        expect(stage.journal).toEqual(['helm uninstall web', '001-web/hooks/a.sh afterDeleteHelm', 'helm purge web'])
      },
    ))

  it('[addons B4] a failed removal is retried without the completed steps', () => {
    let failures = 1
    return playModules(
      {
        modules: {
          '001-web': {
            chart: true,
            hooks: { 'a.sh': v0({ beforeDeleteHelm: 1 }), 'b.sh': v0({ afterDeleteHelm: 1 }, async () => failures--) },
          },
        },
      },
      async (stage) => {
        stage.helm.put('web', mark)
        await stage.configure({ webEnabled: 'false' })
        await stage.start()
        expect(stage.journal).toEqual([
          '001-web/hooks/a.sh beforeDeleteHelm',
          'helm uninstall web',
          '001-web/hooks/b.sh afterDeleteHelm',
          '001-web/hooks/b.sh afterDeleteHelm',
          'helm purge web',
        ])
        expect(await stage.runtime.metrics.render()).toContain('addon_operator_module_delete_errors{module="web"} 1')
      },
    )
  })
})

describe('hooks of modules that are disabled and enabled', () => {
  it('[addons B1, B4] receive no events while their module is disabled, and a new Synchronization when it is enabled', () =>
    playModules(
      {
        modules: {
          '001-web': {
            hooks: { 'a.sh': v1({ onStartup: 1, kubernetes: [maps()], schedule: [{ crontab: '@every 1h' }] }) },
          },
        },
      },
      async (stage) => {
        const create = (name: string) =>
          stage.client.raw('POST', '/api/v1/namespaces/default/configmaps', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name, labels: labelSelector.matchLabels },
            data: { n: '1' },
          })
        const start = ['001-web/hooks/a.sh onStartup', '001-web/hooks/a.sh maps']
        await stage.start()
        expect(stage.news()).toEqual(start)
        await create('one')
        await stage.sleep(1)
        expect(stage.news()).toEqual(['001-web/hooks/a.sh maps'])
        await stage.configure({ webEnabled: 'false' })
        await stage.sleep(5)
        await create('two')
        await stage.sleep(7200)
        expect(stage.news()).toEqual([])
        await stage.configure({ webEnabled: 'true' })
        await stage.sleep(5)
        expect(stage.news()).toEqual(start)
        await create('three')
        await stage.sleep(1)
        expect(stage.news()).toEqual(['001-web/hooks/a.sh maps'])
      },
    ))
})

describe('without helm', () => {
  const helm = { namespace: 'default', program: 'nowhere' }

  it('modules with only hooks run', () =>
    playModules(
      { modules: { '001-tools': { hooks: { 'a.sh': v0({ beforeHelm: 1 }) } } } },
      async (stage) => {
        await stage.start()
        expect(stage.journal).toEqual(['001-tools/hooks/a.sh beforeHelm'])
        expect(stage.simulation.logs.map(({ message }) => message)).toContain(
          'cannot list helm releases: releases of removed modules are kept',
        )
      },
      { helm },
    ))

  it('modules with a chart are reported and block no others', () =>
    playModules(
      { modules: { '002-tools': { hooks: { 'a.sh': v0({ beforeHelm: 1 }) } }, '001-web': { chart: true } } },
      async (stage) => {
        void stage.start()
        await stage.sleep(1)
        const errors = stage.simulation.logs.filter(({ level }) => level === 'error')
        expect(stage.journal).toEqual(['002-tools/hooks/a.sh beforeHelm'])
        expect(JSON.stringify(errors)).toContain('module web')
      },
      { helm },
    ))
})

describe('releases without a module', () => {
  it('[addons Z4] are removed without hooks, except for ignored ones and those of other owners', () =>
    playModules(
      { modules: { '001-web': { chart: true, hooks: leaving } } },
      async (stage) => {
        stage.helm.put('gone', mark)
        stage.helm.put('operator', mark)
        stage.helm.put('other-owners')
        await stage.start()
        expect(stage.journal.filter((line) => line.startsWith('helm purge'))).toEqual(['helm purge gone'])
        expect([...stage.helm.releases.keys()]).toEqual(['operator', 'other-owners', 'web'])
      },
      { ignoredRelease: 'operator' },
    ))

  it('[addons Z4] a disabled module of that name also keeps its release', () =>
    playModules(
      { modules: { '001-web': { chart: true, hooks: leaving } } },
      async (stage) => {
        stage.helm.put('web', mark)
        await stage.configure({ webEnabled: 'false' })
        await stage.start()
        expect(stage.journal).toEqual([])
        expect([...stage.helm.releases.keys()]).toEqual(['web'])
      },
      { ignoredRelease: 'web' },
    ))
})
