import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../runtime/http.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { createClient } from '../client/create.ts'
import { resources } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'
import { handlerTransport } from '../transport/handler.ts'
import type { ReflectorOptions } from './cache.ts'
import { createReflector } from './reflector.ts'

const encode = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
const pod = (name: string, version: number, more: object = {}) => ({
  metadata: { name, namespace: 'shop', resourceVersion: String(version), ...more },
})

/** A server that lists these items and then tells these events, and stays open. */
function createWorld(items: object[], events: { type: string; object: object }[] = []) {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const asked: URLSearchParams[] = []
  const handle: HttpHandler = async ({ target, signal }) => {
    const { searchParams } = new URL(target, 'http://api')
    asked.push(searchParams)
    const headers = { 'content-type': 'application/json' }
    if (!searchParams.has('watch')) {
      const from = Number(searchParams.get('continue') ?? 0)
      const to = from + Number(searchParams.get('limit'))
      const metadata = { resourceVersion: '100', ...(to < items.length && { continue: String(to) }) }
      return { status: 200, headers, body: encode({ metadata, items: items.slice(from, to) }) }
    }
    async function* stream() {
      for (const event of events.splice(0)) yield encode(event)
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    }
    return { status: 200, headers, body: stream() }
  }
  const transport = handlerTransport(simulation.domain('main').connect(handle))
  const client = createClient({ transport, runtime }).of(resources.pods)
  const stop = new AbortController()
  const start = <T>(options: ReflectorOptions<T> & { project: (object: KubeObject) => T }) => {
    const reflector = createReflector(client, runtime, options)
    const ended = reflector.run(stop.signal)
    return { ...reflector, cache: reflector.cache, ended }
  }
  return { simulation, runtime, client, asked, stop, start }
}

describe('createReflector', () => {
  it('drops managedFields, and sets the kind of list items', async () => {
    const { simulation, runtime, client, stop } = createWorld([pod('a', 1, { managedFields: [{ manager: 'm' }] })])
    const reflector = createReflector(client, runtime)
    void reflector.run(stop.signal)
    await simulation.advance(10)
    expect(reflector.cache.get('shop/a')).toEqual({ apiVersion: 'v1', kind: 'Pod', ...pod('a', 1) })
  })

  it('lists and watches with the given selectors', async () => {
    const { simulation, asked, start } = createWorld([])
    start({ labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1', pageSize: 7, project: () => null })
    await simulation.advance(10)
    const [list, watch] = asked.map((query) => Object.fromEntries(query))
    expect(list).toEqual({ labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1', limit: '7' })
    expect(watch).toMatchObject({ labelSelector: 'app=web', resourceVersion: '100', allowWatchBookmarks: 'true' })
    expect(Number(watch?.['timeoutSeconds'])).toBeGreaterThanOrEqual(300)
    expect(Number(watch?.['timeoutSeconds'])).toBeLessThan(600)
  })

  it('shows a list only when its last page has arrived', async () => {
    const { simulation, start } = createWorld(Array.from({ length: 950 }, (_, index) => pod(`p${index}`, index + 1)))
    const sizes = new Set<number>()
    const { cache } = start({ project: () => null })
    cache.subscribe(() => sizes.add(cache.size))
    expect(cache.size).toBe(0)
    await simulation.run(() => cache.synced)
    expect([...sizes]).toEqual([950])
  })

  it('continues when a listener throws', async () => {
    const { simulation, start } = createWorld([pod('a', 1)], [{ type: 'ADDED', object: pod('b', 101) }])
    const { cache } = start({ project: ({ metadata }) => metadata.name })
    const notified: string[] = []
    cache.subscribe(() => {
      throw new Error('listener')
    })
    cache.subscribe(({ key }) => notified.push(key))
    await simulation.advance(10)
    expect(notified).toEqual(['shop/a', 'shop/b'])
    expect(simulation.logs.filter((record) => record.message === 'cache listener failed')).toHaveLength(2)
  })

  it('counts an object whose projection throws as absent', async () => {
    const events = [{ type: 'MODIFIED', object: pod('a', 101, { labels: { bad: 'yes' } }) }]
    const { simulation, start } = createWorld([pod('a', 1), pod('b', 2, { labels: { bad: 'yes' } })], events)
    const notified: string[] = []
    const { cache } = start({
      project: ({ metadata }) => {
        if (metadata.labels?.['bad'] !== undefined) throw new Error('projection')
        return metadata.name
      },
    })
    cache.subscribe(({ type, key }) => notified.push(`${type} ${key}`))
    await simulation.advance(10)
    expect(notified).toEqual(['added shop/a', 'deleted shop/a'])
    expect(simulation.logs.filter((record) => record.message === 'projection failed')).toHaveLength(2)
  })

  it('leaves no listeners on the shared signal', async () => {
    const { simulation, stop, start } = createWorld([])
    start({ project: () => null })
    await simulation.advance(10)
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  })

  it('ends when its signal aborts, in every state', async () => {
    const watching = createWorld([])
    const { ended } = watching.start({ project: () => null })
    await watching.simulation.advance(10)
    watching.stop.abort()
    await watching.simulation.run(() => ended)

    const { simulation, runtime, stop } = createWorld([])
    const failing = createClient({ transport: handlerTransport(() => Promise.reject(new Error('down'))), runtime })
    const waiting = createReflector(failing.of(resources.pods), runtime).run(stop.signal)
    await simulation.advance(60_000)
    stop.abort()
    await simulation.run(() => waiting)
  })
})
