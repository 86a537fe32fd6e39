/** Script hooks that are edited while the operator runs with `--watch`, in virtual time. */
import { describe, expect, it } from 'vitest'
import { type HookPlay, playScripts, type Stage } from './scripts.ts'

const maps = {
  name: 'maps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  labelSelector: { matchLabels: { app: 'test' } },
  jqFilter: '.data',
}
const bound = (...kubernetes: readonly object[]) => ({ configVersion: 'v1', kubernetes })
const watching = { surface: { watch: true } }
const path = '/hooks/a.sh'

/** Saves a hook as an editor does that replaces the file. */
async function save({ runtime: { files } }: Stage, text: string, name = 'a.sh'): Promise<void> {
  await files.write(`/hooks/.${name}.new`, text, { mode: 0o755 })
  await files.rename(`/hooks/.${name}.new`, `/hooks/${name}`)
}

const messages = ({ simulation }: Stage, level: string): readonly object[] =>
  simulation.logs
    .filter((line) => line.level === level && /hook/.test(line.message))
    .map(({ message, fields }) => ({ message, ...fields }))

/** The hook as it is at the moment; the play reads it on each call. */
function editable(config: object): HookPlay & { config: object } {
  return { config }
}

describe('run --watch', () => {
  it('loads an edited hook again, and keeps snapshots and tasks of bindings that are equal', async () => {
    const hook = editable(bound(maps))
    await playScripts(
      { 'a.sh': hook },
      async (stage) => {
        await stage.configMap('one', { x: '1' })
        await stage.start()
        await stage.sleep(1)
        const lists = stage.requests.filter((line) => line.includes('configmaps')).length
        hook.config = bound(maps, { ...maps, name: 'other', kind: 'Secret' })
        await save(stage, '#!/bin/sh\n# second\n')
        await stage.sleep(1)
        await stage.change('one', { x: '2' })
        await stage.sleep(1)
        expect(stage.contextsOf('a.sh')).toEqual([
          'maps Synchronization [default/one {"x":"1"}]',
          'other Synchronization []',
          'maps Modified default/one {"x":"2"}',
        ])
        expect(stage.requests.filter((line) => line.includes('/configmaps?')).length).toBe(lists)
        expect(messages(stage, 'info')).toContainEqual({
          message: 'hook reloaded',
          hook: 'a.sh',
          bindings: 2,
          unchanged: 1,
        })
      },
      watching,
    )
  })

  it('drops the waiting events of a binding that an edit changed, and gives it its Synchronization', async () => {
    const hook: HookPlay & { config: object } = {
      config: bound(maps),
      async run({ runtime }) {
        await runtime.clock.sleep(10_000)
        return 0
      },
    }
    await playScripts(
      { 'a.sh': hook },
      async (stage) => {
        await stage.configMap('one', { x: '1' })
        await stage.start()
        await stage.sleep(30)
        await stage.change('one', { x: '2' })
        await stage.sleep(1)
        await stage.configMap('waiting', { x: '1' })
        hook.config = bound({ ...maps, jqFilter: '.data.x' })
        await save(stage, '#!/bin/sh\n# second\n')
        await stage.sleep(60)
        expect(stage.contextsOf('a.sh')).toEqual([
          'maps Synchronization [default/one {"x":"1"}]',
          'maps Modified default/one {"x":"2"}',
          'maps Synchronization [default/one "2"; default/waiting "1"]',
        ])
      },
      watching,
    )
  })

  it('keeps the last good bindings when an edit is broken, and says what is wrong in which file', async () => {
    const hook = editable(bound(maps))
    await playScripts(
      { 'a.sh': hook },
      async (stage) => {
        await stage.start()
        await stage.sleep(1)
        hook.config = { configVersion: 'v1', kubernetes: [{ kid: 'Pod' }] }
        await save(stage, '#!/bin/sh\n# broken\n')
        await stage.sleep(1)
        await stage.configMap('one', {})
        await stage.sleep(1)
        expect(stage.contextsOf('a.sh').at(-1)).toBe('maps Added default/one null')
        const message = 'the edited hook is invalid: its bindings stay as they were'
        expect(messages(stage, 'error')).toContainEqual({
          ...{ message, hook: 'a.sh', file: path },
          error: 'kubernetes[0].kid: is not known (did you mean kind?)',
        })
      },
      watching,
    )
  })

  it('runs an added hook, ends a deleted one, and finds folders that appear', async () => {
    const plays = { 'a.sh': editable(bound(maps)), 'b.sh': editable({ configVersion: 'v1', onStartup: 1 }) }
    await playScripts(
      plays,
      async (stage) => {
        const { files } = stage.runtime
        await files.remove('/hooks/b.sh')
        await stage.start()
        await stage.sleep(1)
        await files.remove(path)
        await save(stage, '#!/bin/sh\n', 'b.sh')
        await stage.sleep(1)
        await stage.configMap('late', {})
        await stage.sleep(1)
        expect(stage.runs.map(({ hook }) => hook)).toEqual(['a.sh', 'b.sh'])
        await files.makeDirectory('/hooks/deep')
        await files.write('/hooks/deep/c.sh', '#!/bin/sh\n', { mode: 0o755 })
        stage.simulation.script('/hooks/deep/c.sh', async ({ spec, print }) => {
          if (spec.args?.[0] === '--config') print('{"configVersion":"v1","onStartup":1}')
          return 0
        })
        await stage.sleep(1)
        expect(messages(stage, 'info')).toContainEqual({ message: 'hook added', hook: 'deep/c.sh', bindings: 0 })
      },
      watching,
    )
  })

  it('does not end a run, and does not repeat it', async () => {
    const hook: HookPlay & { config: object } = {
      config: bound(maps),
      async run({ runtime }) {
        await runtime.clock.sleep(10_000)
        return 0
      },
    }
    await playScripts(
      { 'a.sh': hook },
      async (stage) => {
        await stage.start()
        hook.config = bound(maps, { ...maps, name: 'other', kind: 'Secret' })
        await save(stage, '#!/bin/sh\n# second\n')
        await stage.sleep(30)
        expect(stage.contextsOf('a.sh')).toEqual(['maps Synchronization []', 'other Synchronization []'])
      },
      watching,
    )
  })

  it('retries a failing hook at once when it is edited', async () => {
    let isBroken = true
    const hook: HookPlay = { config: { configVersion: 'v1', onStartup: 1 }, run: async () => (isBroken ? 1 : 0) }
    await playScripts(
      { 'a.sh': hook },
      async (stage) => {
        const started = stage.start()
        await stage.sleep(60)
        const failures = stage.runs.length
        isBroken = false
        await save(stage, '#!/bin/sh\n# repaired\n')
        await stage.sleep(1)
        expect(stage.runs.length).toBe(failures + 1)
        await started
      },
      watching,
    )
  })

  it('asks every hook again when a shared file changes, and leaves the rest alone', async () => {
    const [one, other] = [editable(bound(maps)), editable(bound(maps))]
    await playScripts(
      { 'a.sh': one, 'b.sh': other },
      async (stage) => {
        await stage.start()
        await stage.sleep(1)
        other.config = bound({ ...maps, name: 'renamed' })
        await stage.runtime.files.makeDirectory('/hooks/lib')
        await stage.runtime.files.write('/hooks/lib/functions.sh', 'name=renamed\n')
        await stage.sleep(1)
        expect(stage.contextsOf('a.sh')).toEqual(['maps Synchronization []'])
        expect(stage.contextsOf('b.sh')).toEqual(['maps Synchronization []', 'renamed Synchronization []'])
      },
      watching,
    )
  })

  it('does nothing when a file is written with the same content, and nothing without the flag', async () => {
    for (const surface of [{ watch: true }, {}]) {
      const hook = editable(bound(maps))
      await playScripts(
        { 'a.sh': hook },
        async (stage) => {
          await stage.start()
          const text = await stage.runtime.files.readText(path)
          hook.config = bound({ ...maps, name: 'other' })
          await save(stage, surface.watch ? text : '#!/bin/sh\n# other\n')
          await stage.sleep(10)
          expect(stage.contextsOf('a.sh')).toEqual(['maps Synchronization []'])
        },
        { surface },
      )
    }
  })
})
