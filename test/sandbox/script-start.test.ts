/** The start of script hooks: which are loaded, and how the others are reported. */
import { describe, expect, it } from 'vitest'
import { resources } from '../../src/kube/index.ts'
import { playScripts } from './scripts.ts'

const broken = { config: { configVersion: 'v1', kubernetes: [{ kid: 'Pod' }] } }
const sound = { config: { configVersion: 'v1', onStartup: 1 } }

describe('hooks that cannot be loaded', () => {
  it('[addons C5] prevent the start of the operator, which lists all of them', () =>
    playScripts({ 'a.sh': broken, 'b.sh': sound, 'c.sh': broken }, async ({ start, runs }) => {
      await expect(start()).rejects.toMatchObject({
        code: 'CRB_HOOK_INVALID',
        message: expect.stringMatching(
          /^2 of 3 hooks are invalid:\n {2}a\.sh: [\s\S]*did you mean kind[\s\S]*\n {2}c\.sh: /,
        ),
      })
      expect(runs).toEqual([])
    }))

  it('[addons C5] are skipped on request with a log line and a metric', () =>
    playScripts(
      { 'a.sh': broken, 'b.sh': sound },
      async ({ start, sleep, runs, runtime, simulation }) => {
        await start()
        await sleep(1)
        expect(runs.map(({ hook }) => hook)).toEqual(['b.sh'])
        expect(await runtime.metrics.render()).toContain('shell_operator_hook_left_out{hook="a.sh"} 1')
        const skipped = simulation.logs.filter(({ message }) => message === 'skipping an invalid hook')
        expect(skipped.map(({ fields }) => fields)).toEqual([
          { hook: 'a.sh', error: 'kubernetes[0].kind: is required' },
          { hook: 'a.sh', error: 'kubernetes[0].kid: is not known (did you mean kind?)' },
        ])
      },
      { surface: { skipInvalidHooks: true } },
    ))
})

describe('a folder of addon-operator', () => {
  const place = { layout: 'document', workingDir: '/addons' } as const

  it('[addons Z3] needs no ConfigMap: hooks run with empty values', () => {
    const values: unknown[] = []
    return playScripts(
      {
        'a.sh': {
          config: { onStartup: 1 },
          run: async ({ spec, runtime: { files } }) => {
            for (const name of ['VALUES_PATH', 'CONFIG_VALUES_PATH'])
              values.push(JSON.parse(await files.readText(spec.env[name] ?? '')))
            return 0
          },
        },
      },
      async ({ start, sleep, client }) => {
        const { items } = await client.of(resources.configMaps).list()
        expect(items.map(({ metadata }) => metadata.name)).not.toContain('addon-operator')
        await start()
        await sleep(1)
        expect(values).toEqual([{ global: {} }, { global: {} }])
      },
      { surface: { place } },
    )
  })
})
