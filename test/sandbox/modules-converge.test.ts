/** The converge of modules at operator start: order, hook contexts and failures. */
import { describe, expect, it } from 'vitest'
import { patch, playModules, readJson } from './modules.ts'
import { v0, v1 } from './scripts.ts'

const global = 'global-hooks/g.sh'

describe('modules at the start', () => {
  it('[addons D7, B2, B3] run in the order of their numbers between beforeAll and afterAll hooks, each with hooks around its release', () =>
    playModules(
      {
        globalHooks: { 'g.sh': v0({ onStartup: 1, beforeAll: 1, afterAll: 1 }) },
        modules: {
          '020-web': {
            chart: true,
            hooks: {
              'a.sh': v0({ afterHelm: 1, beforeHelm: 2 }),
              'b.sh': v0({ onStartup: 1, beforeHelm: 1.5, afterHelm: 1 }),
            },
          },
          '003-store': { chart: true },
          '100-tools': { hooks: { 'a.sh': v1({ beforeHelm: 1 }) } },
        },
      },
      async (stage) => {
        await stage.start()
        const enabledModules = ['store', 'web', 'tools']
        expect(stage.journal).toEqual([
          `${global} onStartup`,
          `${global} beforeAll`,
          `helm upgrade store ${JSON.stringify({ global: { enabledModules }, store: {} })}`,
          '020-web/hooks/b.sh onStartup',
          '020-web/hooks/b.sh beforeHelm',
          '020-web/hooks/a.sh beforeHelm',
          `helm upgrade web ${JSON.stringify({ global: { enabledModules }, web: {} })}`,
          '020-web/hooks/a.sh afterHelm',
          '020-web/hooks/b.sh afterHelm',
          '100-tools/hooks/a.sh beforeHelm',
          `${global} afterAll`,
        ])
      },
    ))

  it('[addons B3] pass snapshots to global hooks and start their watches before', () =>
    playModules(
      {
        modules: {
          '001-web': {
            hooks: {
              'a.sh': v1(
                { beforeHelm: 1, kubernetes: [{ name: 'spaces', kind: 'Namespace', jqFilter: '.metadata.name' }] },
                async (process) => {
                  const contexts = (await readJson(process, 'BINDING_CONTEXT_PATH')) as Record<string, unknown>[]
                  if (contexts[0]?.['binding'] !== 'beforeHelm') return 0
                  const { snapshots, ...rest } = contexts[0]
                  expect(rest).toEqual({ binding: 'beforeHelm' })
                  const { spaces } = snapshots as { spaces: { filterResult: string }[] }
                  expect(spaces.map(({ filterResult }) => filterResult)).toContain('default')
                  return 0
                },
              ),
            },
          },
        },
      },
      async (stage) => {
        await stage.start()
        expect(stage.journal).toEqual(['001-web/hooks/a.sh spaces', '001-web/hooks/a.sh beforeHelm'])
      },
    ))

  it('[addons Q7] run a module again completely when any part of its run fails', () => {
    let failures = 1
    return playModules(
      {
        globalHooks: { 'g.sh': v0({ afterAll: 1 }) },
        modules: {
          '001-web': {
            chart: true,
            hooks: {
              'a.sh': v0({ onStartup: 1, beforeHelm: 1 }),
              'b.sh': v0({ afterHelm: 1 }, async () => failures--),
            },
          },
          '002-later': { hooks: { 'a.sh': v0({ beforeHelm: 1 }) } },
        },
      },
      async (stage) => {
        let refusals = 1
        stage.helm.refuse = () => (refusals-- > 0 ? 'no luck' : undefined)
        const begun = stage.runtime.clock.monotonic()
        await stage.start()
        const before = ['001-web/hooks/a.sh onStartup', '001-web/hooks/a.sh beforeHelm']
        expect(stage.journal.map((line) => line.replace(/ \{.*/, ''))).toEqual([
          ...before,
          'helm upgrade web failed',
          ...before,
          'helm upgrade web',
          '001-web/hooks/b.sh afterHelm',
          // The release is unchanged, so it is not upgraded.
          ...before,
          '001-web/hooks/b.sh afterHelm',
          '002-later/hooks/a.sh beforeHelm',
          `${global} afterAll`,
        ])
        // Two back-offs, 3 s and 6 s.
        expect(stage.runtime.clock.monotonic() - begun).toBeGreaterThan(9000)
        expect(await stage.runtime.metrics.render()).toContain('addon_operator_module_run_errors{module="web"} 2')
        const errors = stage.simulation.logs.filter(({ level }) => level === 'error')
        expect(errors.map(({ message, fields }) => [message, fields?.['failures'], fields?.['retryIn']])).toEqual([
          ['failed: retrying', 1, '3s'],
          // The hook is not retried by itself.
          ['hook failed', undefined, undefined],
          ['failed: retrying', 2, '6s'],
        ])
      },
    )
  })

  it('[addons Q6] treat a run with a refused values patch as failed and run it again with unchanged values', () => {
    let attempts = 0
    const seen: unknown[] = []
    return playModules(
      {
        modules: {
          '001-web': {
            chart: true,
            hooks: {
              'a.sh': v0({ beforeHelm: 1 }, async (process) => {
                seen.push(await readJson(process, 'VALUES_PATH'))
                attempts++
                if (attempts === 1) return patch(process, [{ op: 'add', path: '/other/n', value: 1 }])
                if (attempts === 2) return patch(process, [{ op: 'replace', path: '/web/n', value: 2 }])
                return patch(process, [{ op: 'add', path: '/web/n', value: 3 }])
              }),
            },
          },
        },
      },
      async (stage) => {
        await stage.start()
        const effective = { global: { enabledModules: ['web'] }, web: {} }
        expect(seen).toEqual([effective, effective, effective])
        expect(stage.journal.at(-1)).toBe(`helm upgrade web ${JSON.stringify({ ...effective, web: { n: 3 } })}`)
        const failed = stage.simulation.logs.filter(({ message }) => message.startsWith('hook failed'))
        expect(failed.map(({ fields }) => fields?.['reason'])).toEqual(['Effects', 'Effects'])
        expect(String(failed[0]?.fields?.['error'])).toContain('/other/n')
        expect(await stage.runtime.metrics.render()).toContain(
          'addon_operator_module_hook_errors{hook="001-web/hooks/a.sh"} 2',
        )
      },
    )
  })

  it('[addons Q6] drop refused values of a global hook', () =>
    playModules(
      {
        globalHooks: {
          'g.sh': v0({ schedule: [{ crontab: '*/10 * * * * *', allowFailure: true }] }, async (process) =>
            patch(process, [{ op: 'add', path: '/web/n', value: 1 }]),
          ),
        },
        modules: { '001-web': { chart: true } },
      },
      async (stage) => {
        await stage.start()
        await stage.sleep(15)
        expect(stage.journal.filter((line) => line.startsWith('helm'))).toHaveLength(1)
        expect(await stage.runtime.metrics.render()).toContain(
          'addon_operator_hook_allowed_errors{hook="global-hooks/g.sh"} 1',
        )
      },
    ))
})
