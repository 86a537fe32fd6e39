import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../runtime/http.ts'
import { createSimulation, type Fault } from '../../runtime/simulated/index.ts'
import { createClient } from '../client/create.ts'
import { type Event, type ObjectReference, resources } from '../kinds/index.ts'
import { BackgroundQueue } from '../queue/background-queue.ts'
import { handlerTransport } from '../transport/handler.ts'
import type { EventInput } from './event.ts'
import { createEventRecorder } from './recorder.ts'

const web: ObjectReference = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u1' }
const failed = (note = 'hook "smoke" failed'): EventInput => ({ type: 'Warning', reason: 'HookFailed', note })
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

/** Creates and patches events, as far as a recorder can tell from an API server. */
class EventServer {
  readonly events = new Map<string, Event>()
  writes = 0

  readonly handler: HttpHandler = async ({ method, target, body }) => {
    this.writes++
    const sent = JSON.parse(new TextDecoder().decode(body)) as Event
    if (method === 'POST') {
      this.events.set(sent.metadata.name, sent)
      return { status: 201, headers: {}, body: encode(sent) }
    }
    const name = target.split('?')[0]?.split('/').at(-1) ?? ''
    const known = this.events.get(name)
    if (known === undefined) {
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound' }
      return { status: 404, headers: {}, body: encode(status) }
    }
    Object.assign(known, sent)
    return { status: 200, headers: {}, body: encode(known) }
  }

  get all(): Event[] {
    return [...this.events.values()]
  }
}

function createWorld(...faults: Fault[]) {
  const simulation = createSimulation(5)
  const server = new EventServer()
  const domain = simulation.domain('main')
  const { runtime } = domain
  const stop = new AbortController()
  let begun = false
  const begin = async () => {
    if (begun) return
    begun = true
    await runtime.http.listen({ host: 'api', port: 80 }, server.handler)
    domain.inject(faults)
  }
  const overHttp: HttpHandler = (request) => runtime.http.request({ origin: 'http://api' }, request)
  const client = createClient({ transport: handlerTransport(overHttp), runtime }).of<Event>(resources.events)
  const reporter = { controller: 'carabiner.dev/rollouts', instance: 'pod-1', signal: stop.signal }
  const recorder = createEventRecorder(client, runtime, reporter)
  /** Records, then lets everything be written. */
  const play = (record: () => void) =>
    simulation.run(async () => {
      await begin()
      record()
      await recorder.flush()
    })
  const dropped = async (reason: string) => {
    const line = (await runtime.metrics.render())
      .split('\n')
      .find((text) => text.startsWith(`carabiner_events_dropped_total{reason="${reason}"}`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  return { simulation, server, recorder, stop, play, dropped }
}

describe('the event recorder', () => {
  it('writes an event as the server accepts it', async () => {
    const { server, recorder, play } = createWorld()
    await play(() => recorder.record(web, failed()))
    expect(server.all).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) as string, namespace: 'shop' },
        eventTime: expect.stringMatching(/^2026-01-01T00:00:00\.\d{6}Z$/) as string,
        reportingController: 'carabiner.dev/rollouts',
        reportingInstance: 'pod-1',
        type: 'Warning',
        reason: 'HookFailed',
        action: 'HookFailed',
        note: 'hook "smoke" failed',
        regarding: web,
      },
    ])
  })

  it('takes a whole object, puts what has no namespace into default, and gives odd names a valid one', async () => {
    const { server, recorder, play } = createWorld()
    const metadata = { name: 'system:node', uid: 'u2', resourceVersion: '7', labels: { a: 'b' } }
    await play(() => recorder.record({ apiVersion: 'v1', kind: 'Node', metadata }, failed()))
    expect(server.all[0]?.metadata).toEqual({
      name: expect.stringMatching(/^event\.[0-9a-f]{16}$/) as string,
      namespace: 'default',
    })
    expect(server.all[0]?.regarding).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'system:node',
      uid: 'u2',
      resourceVersion: '7',
    })
  })

  it('cuts notes at the limit of the server, between characters', async () => {
    const { server, recorder, play } = createWorld()
    await play(() => recorder.record(web, failed(`x${'ü'.repeat(600)}`)))
    expect(server.all[0]?.note).toBe(`x${'ü'.repeat(511)}`)
  })

  it('counts the same thing on the event that is there', async () => {
    const { simulation, server, recorder, play } = createWorld()
    await play(() => recorder.record(web, failed()))
    await simulation.advance(60_000)
    await play(() => recorder.record(web, failed()))
    await play(() => recorder.record(web, failed()))
    expect(server.all).toHaveLength(1)
    expect(server.all[0]?.series).toEqual({
      count: 3,
      lastObservedTime: expect.stringMatching(/^2026-01-01T00:01:00/) as string,
    })
  })

  it('goes on in a new event when the server has forgotten the old one, and after a pause', async () => {
    const { simulation, server, recorder, play } = createWorld()
    await play(() => recorder.record(web, failed()))
    server.events.clear()
    await play(() => recorder.record(web, failed()))
    expect(server.all.map((event) => event.series?.count)).toEqual([2])
    await simulation.advance(700_000)
    await play(() => recorder.record(web, failed()))
    expect(server.all.map((event) => event.series?.count)).toEqual([2, undefined])
  })

  it('tells many variations of one thing as one', async () => {
    const { server, recorder, play } = createWorld()
    await play(() => {
      for (let attempt = 1; attempt <= 15; attempt++) recorder.record(web, failed(`attempt ${attempt} failed`))
    })
    expect(server.all).toHaveLength(11)
    const { note, series } = server.all.at(-1) as Event
    expect(note).toBe('(combined from similar events): attempt 11 failed')
    expect(series?.count).toBe(5)
  })

  it('cuts off an object that chatters, and only that one', async () => {
    const { simulation, server, recorder, play, dropped } = createWorld()
    await play(() => {
      for (let time = 0; time < 1_000; time++) recorder.record(web, failed())
      recorder.record({ ...web, name: 'other', uid: 'u9' }, failed())
    })
    expect(server.all.map((event) => event.series?.count)).toEqual([25, undefined])
    expect(await dropped('spam')).toBe(975)
    await simulation.advance(299_999)
    await play(() => recorder.record(web, failed()))
    expect(await dropped('spam')).toBe(976)
    await simulation.advance(300_000)
    await play(() => recorder.record(web, failed()))
    expect(await dropped('spam')).toBe(976)
  })

  it('tries again when the server is away, gives up when it says no', async () => {
    const busy = createWorld({ kind: 'answer', match: { count: 3 }, status: 503 })
    await busy.play(() => busy.recorder.record(web, failed()))
    expect(busy.server.all).toHaveLength(1)

    const down = createWorld({ kind: 'answer', match: { count: 100 }, status: 500 })
    await down.play(() => down.recorder.record(web, failed()))
    expect(down.server.all).toHaveLength(0)
    expect(await down.dropped('refused')).toBe(1)

    const forbidden = createWorld({ kind: 'answer', match: { count: 1 }, status: 403 })
    await forbidden.play(() => forbidden.recorder.record(web, failed()))
    expect(forbidden.server.writes).toBe(0)
    expect(await forbidden.dropped('refused')).toBe(1)
  })

  it('drops what comes faster than it can be written, and what is not an object at all', async () => {
    const { server, recorder, play, dropped } = createWorld()
    await play(() => {
      for (let index = 0; index < 4_500; index++) recorder.record({ ...web, name: `w${index}` }, failed())
      recorder.record({ metadata: undefined } as never, failed())
    })
    expect(server.all).toHaveLength(4_000)
    expect(await dropped('full')).toBe(500)
    expect(await dropped('invalid')).toBe(1)
  })

  it('writes nothing any more once it is stopped', async () => {
    const { server, recorder, stop, play, dropped } = createWorld()
    stop.abort()
    await play(() => recorder.record(web, failed()))
    expect(server.writes).toBe(0)
    expect(await dropped('stopped')).toBe(1)
  })

  it('leaves a slow server to others where it is told to, in order, until the end is near', async () => {
    const simulation = createSimulation(6)
    const { runtime } = simulation
    const { clock } = runtime
    const server = new EventServer()
    const begun: number[] = []
    const slow: HttpHandler = async (request, ...more) => {
      begun.push(clock.monotonic())
      await clock.sleep(100)
      return server.handler(request, ...more)
    }
    const background = new BackgroundQueue(clock)
    const { signal } = new AbortController()
    const client = createClient({ transport: handlerTransport(slow), runtime }).of<Event>(resources.events)
    const recorder = createEventRecorder(client, runtime, { controller: 'c', instance: 'i', signal, background })
    await simulation.run(async () => {
      for (let index = 0; index < 4; index++) recorder.record({ ...web, name: `w${index}` }, failed())
      await clock.sleep(1500)
      background.drain()
      await recorder.flush()
    })
    const [first = 0, ...later] = begun
    expect(later.map((at) => at - first)).toEqual([910, 1500, 1600])
    expect(server.all.map(({ regarding }) => regarding.name)).toEqual(['w0', 'w1', 'w2', 'w3'])
  })
})
