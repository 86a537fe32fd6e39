/** Modules for operators that crash: their hooks count objects into values, write to the ConfigMap, and count their own runs. */
import type { ScriptedProcess } from '../../src/runtime/simulated/index.ts'
import { patch, readJson, type WorldPlay } from '../sandbox/modules.ts'
import { type HookPlay, maps, v0, v1 } from '../sandbox/scripts.ts'

export type Marks = Record<string, number>

interface Element {
  readonly binding: string
  readonly snapshots?: { readonly maps: readonly unknown[] }
}

export function playedModules(marks: Marks): WorldPlay {
  /** Each run takes some time, so that it can be interrupted. */
  const marking =
    (
      name: string,
      act: (process: ScriptedProcess, contexts: readonly Element[]) => Promise<number> = async () => 0,
    ): HookPlay['run'] =>
    async (process, contexts) => {
      await process.runtime.clock.sleep(300)
      const code = await act(process, contexts as readonly Element[])
      const mark = `${name} ${contexts[0]?.binding}`
      marks[mark] = (marks[mark] ?? 0) + 1
      return code
    }
  return {
    globalHooks: {
      // Written to the ConfigMap: the successor of a crashed operator finds the value or writes it.
      'g.sh': v0(
        { beforeAll: 1, afterAll: 1 },
        marking('global', async (process, [context]) => {
          const { global } = (await readJson(process, 'VALUES_PATH')) as { global: { zone: string } }
          const operations = [{ op: 'add', path: '/global/seen', value: `${global.zone}!` }]
          return context?.binding === 'beforeAll' ? patch(process, operations, 'CONFIG_VALUES_JSON_PATCH_PATH') : 0
        }),
      ),
    },
    modules: {
      '001-web': {
        chart: true,
        hooks: {
          'count.sh': v1(
            { beforeHelm: 1, afterHelm: 1, kubernetes: [maps({ includeSnapshotsFrom: ['maps'] })] },
            marking('web', async (process, contexts) => {
              const value = contexts.at(-1)?.snapshots?.maps.length ?? 0
              return patch(process, [{ op: 'add', path: '/web/maps', value }])
            }),
          ),
        },
      },
      '002-store': {
        chart: true,
        hooks: { 'end.sh': v0({ onStartup: 1, beforeDeleteHelm: 1, afterDeleteHelm: 1 }, marking('store')) },
      },
    },
  }
}
