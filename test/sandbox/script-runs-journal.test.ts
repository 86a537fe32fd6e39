/** What the journal keeps of the runs of script hooks, in virtual time. */
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/hooks/index.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { failing, maps, playScripts, type Stage, v1 } from './scripts.ts'

const surface = { journalNamespace: 'default' }
const page = { surface: 'addons', namespace: 'default' }

const journalWrites = ({ requests }: Stage) =>
  requests.filter((request) => /^(POST|PATCH) /.test(request) && request.includes('/configmaps'))
const entriesOf = async (stage: Stage) =>
  (await readJournal(stage.client, page))
    .filter(({ outcome }) => outcome !== 'cancelled')
    .map(({ hook, outcome, attempt }) => [hook, outcome, attempt])

describe('journal of script hooks', () => {
  it('keeps failed runs and the last successful run of each hook, with at most one write per 30 s', () =>
    playScripts(
      {
        'a.sh': v1({ onStartup: 1 }, failing(2)),
        'b.sh': v1({ schedule: [{ crontab: '* * * * * *' }] }),
      },
      async (stage) => {
        await stage.start()
        await stage.sleep(65)
        expect(stage.contextsOf('b.sh').length).toBeGreaterThan(30)
        expect(journalWrites(stage).length).toBeLessThanOrEqual(3)
        await stage.stop()
        expect((await entriesOf(stage)).toSorted()).toEqual([
          ['a.sh', 'failed', 1],
          ['a.sh', 'failed', 2],
          ['a.sh', 'succeeded', 3],
          ['b.sh', 'succeeded', 1],
        ])
        const [entry] = await readJournal(stage.client, page, { hook: 'a.sh' })
        expect(entry).toMatchObject({ cause: 'start of the operator', action: 'process', log: 'no luck' })
      },
      { surface },
    ))

  it('is not written when a hook watches ConfigMaps, which every write would run again', () =>
    playScripts(
      { 'a.sh': v1({ kubernetes: [maps({ labelSelector: undefined })] }, failing(1)) },
      async (stage) => {
        await stage.start()
        await stage.sleep(65)
        await stage.stop()
        expect(journalWrites(stage)).toEqual([])
        expect(stage.contextsOf('a.sh')).toHaveLength(2)
      },
      { surface },
    ))

  it('is given up without the right to write ConfigMaps', () =>
    playScripts(
      { 'a.sh': v1({ schedule: [{ crontab: '*/10 * * * * *' }] }) },
      async (stage) => {
        const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 }
        stage.network.answer = ({ target }) =>
          target.includes('/configmaps')
            ? { status: 403, headers: {}, body: new TextEncoder().encode(JSON.stringify(status)) }
            : undefined
        await stage.start()
        await stage.sleep(600)
        const asked = stage.requests.filter((request) => request.includes('/configmaps')).length
        expect(asked).toBeLessThanOrEqual(5)
        await stage.sleep(600)
        expect(stage.requests.filter((request) => request.includes('/configmaps'))).toHaveLength(asked)
        expect(stage.contextsOf('a.sh').length).toBeGreaterThan(100)
        const lines = stage.simulation.logs.filter(({ message }) => message === 'journal not kept')
        expect(lines.map(({ level }) => level)).toEqual(['info'])
      },
      { surface },
    ))
})

describe('event about a failed run of a script hook', () => {
  const pod = { name: 'operator-0', namespace: 'default' }
  const notesOf = async ({ client }: Stage) =>
    (await client.of(resources.events).list({ namespace: 'default' })).items
      .filter(({ regarding }) => regarding?.name === pod.name)
      .map(({ note }) => note ?? '')

  it('regards the pod of the operator and names the run', () =>
    playScripts(
      { 'a.sh': v1({ onStartup: 1 }, failing(1)) },
      async (stage) => {
        await stage.start()
        await stage.sleep(1)
        const [note = ''] = await notesOf(stage)
        expect(note).toMatch(/^hook a\.sh at onStartup failed \(run addons\/.*\/1\): exited with code 1: no luck$/)
      },
      { surface: { pod } },
    ))

  it('is not written when a hook watches events', () =>
    playScripts(
      { 'a.sh': v1({ onStartup: 1, kubernetes: [{ kind: 'Event' }] }, failing(1)) },
      async (stage) => {
        await stage.start()
        await stage.sleep(1)
        expect(await notesOf(stage)).toEqual([])
      },
      { surface: { pod } },
    ))
})

describe('runs of script hooks', () => {
  it('carry their key in every line that the hook prints', () =>
    playScripts(
      {
        'a.sh': v1({ onStartup: 1 }, async (process) => {
          process.print('hello\n')
          return 0
        }),
      },
      async (stage) => {
        await stage.start()
        const [line] = stage.simulation.logs.filter(({ message }) => message === 'hello')
        const [span] = stage.simulation.spans.filter(({ name }) => name === 'hook a.sh')
        expect(line?.fields['run']).toMatch(/^addons\/.*\/onStartup\/a\.sh\/1$/)
        expect(span?.attributes['run']).toBe(line?.fields['run'])
      },
    ))
})
