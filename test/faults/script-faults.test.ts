/** Script hooks with cluster faults: nothing is lost, no event is delivered twice, and hooks do not wait for failures of others. */
import { describe, expect, it } from 'vitest'
import { createClient, resources } from '../../src/kube/index.ts'
import type { HttpResponse } from '../../src/runtime/http.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { playScripts } from '../sandbox/scripts.ts'

const labelSelector = { matchLabels: { app: 'test' } }
const maps = (more: object = {}) => ({ name: 'maps', kind: 'ConfigMap', jqFilter: '.data', labelSelector, ...more })
const v1 = (...kubernetes: object[]) => ({ config: { configVersion: 'v1', kubernetes } })

function refusal(status: number, reason: string): HttpResponse {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason,
    code: status,
  })
  return { status, headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode(body) }
}

function streamed({ body, ...answer }: HttpResponse): HttpResponse {
  const chunks = async function* () {
    yield body as Uint8Array
  }
  return { ...answer, body: chunks() }
}

describe('script hooks', () => {
  it('get the missed events after five minutes without the server; schedules continue', () =>
    playScripts(
      {
        'a.sh': v1(maps()),
        'b.sh': { config: { configVersion: 'v1', schedule: [{ name: 'minute', crontab: '0 * * * * *' }] } },
        'c.sh': {
          config: { configVersion: 'v1', schedule: [{ name: 'once', crontab: '0 2 0 * * *', queue: 'patches' }] },
          run: async ({ spec, runtime }) => {
            const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace: 'default' } }
            await runtime.files.write(
              spec.env['KUBERNETES_PATCH_PATH'] ?? '',
              JSON.stringify({ operation: 'CreateIfNotExists', object }),
            )
            return 0
          },
        },
      },
      async ({ start, configMap, change, remove, sleep, contextsOf, network, client, requests }) => {
        await configMap('one', { a: '1' })
        await configMap('two', { a: '1' })
        await start()
        await sleep(10)
        network.cut()
        await change('one', { a: '2' })
        await change('one', { a: '3' })
        await remove('two')
        await configMap('three', {})
        await sleep(300)
        expect(contextsOf('a.sh')).toHaveLength(1)
        expect(contextsOf('b.sh')).toHaveLength(5)
        network.restore()
        await sleep(60)
        expect(contextsOf('a.sh').slice(1).join(', ')).toBe(
          [
            'maps Modified default/one {"a":"2"}',
            'maps Modified default/one {"a":"3"}',
            'maps Deleted default/two {"a":"1"}',
            'maps Added default/three null',
          ].join(', '),
        )
        // The watch resumed where it had stopped.
        const lists = requests.filter((one) => /configmaps\?.*limit=(?!1\b)/.test(one) && !one.includes('watch='))
        expect(lists).toHaveLength(1)
        const made = await client.of(resources.configMaps).get('made', { namespace: 'default' })
        expect(made.metadata.name).toBe('made')
      },
    ))

  it('receive the last state of every object during repeated 410 responses', () =>
    playScripts({ 'a.sh': v1(maps()) }, async ({ start, configMap, change, remove, sleep, contextsOf, network }) => {
      await configMap('one', { a: '0' })
      await configMap('two', {})
      await start()
      await sleep(10)
      let left = 20
      network.answer = ({ target }) =>
        target.includes('watch=') && left-- > 0 ? streamed(refusal(410, 'Expired')) : undefined
      network.cut()
      network.restore()
      for (let round = 1; left > 0; round++) {
        await change('one', { a: `${round}` })
        if (round === 2) await remove('two')
        await sleep(20)
      }
      await change('one', { a: 'last' })
      await sleep(60)
      const events = contextsOf('a.sh').slice(1).join(', ').split(', ')
      expect(events.at(-1)).toBe('maps Modified default/one {"a":"last"}')
      expect(events.filter((event) => event.includes('Deleted'))).toEqual(['maps Deleted default/two null'])
      const numbers = events.flatMap((event) => /"a":"(\d+)"/.exec(event)?.[1] ?? [])
      expect(numbers.map(Number)).toEqual(numbers.map(Number).toSorted((one, other) => one - other))
      expect(new Set(events).size).toBe(events.length)
    }))

  it('detect a server with replaced storage', () =>
    playScripts({ 'a.sh': v1(maps()) }, async ({ start, configMap, sleep, contextsOf, network, runtime }) => {
      for (const name of ['changed', 'gone', 'same']) await configMap(name, { in: 'old' })
      for (let round = 0; round < 20; round++) await configMap(`filler-${round}`, {}, 'kube-system')
      await start()
      await sleep(10)
      const restored = createSandbox(runtime, { nodes: 0 })
      await restored.ready
      const there = createClient({ transport: restored.transport(), runtime }).of(resources.configMaps)
      const create = (name: string, data: object) =>
        there.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'default', labels: { app: 'test' } },
          data,
        } as never)
      await create('same', { in: 'old' })
      await create('changed', { in: 'new' })
      await create('new', {})
      network.moveTo(restored.transport())
      await sleep(120)
      const events = contextsOf('a.sh').slice(1).join(', ').split(', ')
      expect(events.filter((event) => !event.includes('filler')).sort()).toEqual([
        'maps Added default/new null',
        'maps Deleted default/gone {"in":"old"}',
        'maps Modified default/changed {"in":"new"}',
      ])
      await create('later', {})
      await sleep(10)
      expect(contextsOf('a.sh').at(-1)).toBe('maps Added default/later null')
      await restored.stop()
    }))

  it('get Added and Deleted for a namespace with a flapping label, and its final state', () =>
    playScripts(
      { 'a.sh': v1(maps({ namespace: { labelSelector: { matchLabels: { team: 'a' } } } })) },
      async ({ start, namespace, configMap, change, sleep, contextsOf }) => {
        await namespace('shop', {})
        await configMap('m', { n: '0' }, 'shop')
        await start()
        for (let round = 1; round <= 21; round++) {
          await namespace('shop', { team: round % 2 === 1 ? 'a' : null })
          await change('m', { n: `${round}` }, 'shop')
          if (round % 5 === 0) await sleep(2)
        }
        await sleep(10)
        const events = contextsOf('a.sh').slice(1).join(', ').split(', ')
        const kinds = events.filter((event) => !event.includes('Modified')).map((event) => event.split(' ')[1])
        expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? 'Added' : 'Deleted')))
        expect(kinds.at(-1)).toBe('Added')
        expect(events.at(-1)).toContain('{"n":"21"}')
        await change('m', { n: 'after' }, 'shop')
        await sleep(5)
        expect(contextsOf('a.sh').at(-1)).toBe('maps Modified shop/m {"n":"after"}')
      },
    ))

  it('wait for a refused list without delaying other hooks, and start when it is allowed', () =>
    playScripts(
      { 'a.sh': v1({ name: 'secrets', kind: 'Secret' }), 'b.sh': v1(maps()) },
      async ({ start, configMap, sleep, contextsOf, network, simulation }) => {
        network.answer = ({ target }) => (target.includes('/secrets') ? refusal(403, 'Forbidden') : undefined)
        await start()
        await configMap('one', {})
        await sleep(60)
        expect(contextsOf('a.sh')).toEqual([])
        expect(contextsOf('b.sh')).toEqual(['maps Synchronization []', 'maps Added default/one null'])
        const waiting = simulation.logs.filter(({ message }) => message.startsWith('objects cannot be listed yet'))
        expect(waiting.map(({ fields }) => fields)).toEqual([{ hook: 'a.sh', binding: 'secrets', kind: 'Secret' }])
        network.answer = undefined
        await sleep(60)
        expect(contextsOf('a.sh')).toHaveLength(1)
        expect(contextsOf('a.sh')[0]).toContain('secrets Synchronization')
      },
    ))

  it.each([
    // 01:51 in Berlin when the clock is set; nine minutes later it would be 03:00.
    ['forward over the beginning of summer time', '2026-03-29T00:50:00Z', 15, ['01:30', '02:30']],
    // 02:51 for the first time when the clock is set, 02:06 for the second time afterwards.
    ['forward over the end of summer time', '2026-10-25T00:50:00Z', 15, ['01:30', '02:30']],
    // 02:11 for the second time when the clock is set, 02:26 for the first time afterwards: half past two comes twice.
    ['back over the end of summer time', '2026-10-25T01:10:00Z', -45, ['00:30', '01:30']],
  ])('fire by the wall clock after it is set %s', (_, begin, minutes, expected) =>
    playScripts(
      { 'a.sh': { config: { schedule: [{ crontab: 'TZ=Europe/Berlin 0 30 * * * *' }] } } },
      async ({ start, sleep, runs, simulation }) => {
        await start()
        await sleep(60)
        simulation.domain('main').jumpClock(minutes * 60_000)
        await sleep(6300)
        const begun = Date.parse(begin) + minutes * 60_000
        expect(runs.map(({ at }) => new Date(begun + at * 1000).toISOString().slice(11, 16))).toEqual(expected)
      },
      { simulation: { start: Date.parse(begin) } },
    ),
  )
})
