import { describe, expect, it } from 'vitest'
import type { HttpBody, HttpHandler, HttpRequest, HttpResponse } from '../http.ts'
import { createRealRuntime } from '../real/index.ts'
import type { FaultPlan } from './fault-plan.ts'
import { withFaults } from './faults.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const request = (method: string, target: string): HttpRequest => ({ method, target, headers: {} })

async function textOf({ body }: HttpResponse): Promise<string> {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  let text = ''
  for await (const chunk of body) text += new TextDecoder().decode(chunk)
  return text
}

/** Counts writes; lists them; streams three of them at once for a watch. */
function createServer(): { handler: HttpHandler; written: () => number } {
  let written = 0
  const handler: HttpHandler = async ({ method, target }) => {
    if (method !== 'GET') written++
    const events = async function* (): HttpBody {
      yield* ['one,', 'two,', 'three'].map(encode)
    }
    return { status: 200, headers: {}, body: target.includes('watch') ? events() : encode(`list of ${written}`) }
  }
  return { handler, written: () => written }
}

/** Writes until it is stopped; returns the number of writes begun, writes answered and writes the server saw. */
async function writesUnder(plan: FaultPlan, transport: 'connected' | 'injected'): Promise<string> {
  const simulation = createSimulation(1)
  const server = createServer()
  let [begun, answered] = [0, 0]
  await simulation.run(async () => {
    const engine = simulation.domain('engine')
    await simulation.runtime.http.listen({ host: '127.0.0.1', port: 80 }, server.handler)
    if (transport === 'injected') engine.inject(plan)
    const connected = engine.connect(withFaults(server.handler, plan, simulation))
    const send: HttpHandler = (write) =>
      transport === 'connected' ? connected(write) : engine.runtime.http.request({ origin: 'http://127.0.0.1' }, write)
    const live = async (): Promise<void> => {
      for (const method of ['POST', 'GET', 'PATCH', 'PUT', 'DELETE']) {
        if (method !== 'GET') begun++
        await send(request(method, '/pods'))
        if (method !== 'GET') answered++
      }
    }
    void live()
    await simulation.clock.sleep(1000)
  })
  return `begun ${begun}, answered ${answered}, seen ${server.written()}`
}

describe.each(['connected', 'injected'] as const)('stop, %s', (transport) => {
  it('a halt before the n-th write: the server does not see it', async () => {
    const plan: FaultPlan = [{ kind: 'stop', domain: 'engine', when: 'before', write: 3 }]
    expect(await writesUnder(plan, transport)).toBe('begun 3, answered 2, seen 2')
  })

  it('a halt after the n-th write: the server has done it, the writer gets no answer', async () => {
    const plan: FaultPlan = [{ kind: 'stop', domain: 'engine', when: 'after', write: 3 }]
    expect(await writesUnder(plan, transport)).toBe('begun 3, answered 2, seen 3')
  })

  it('a halt after the n-th write applies even when another fault answers that write', async () => {
    const plan: FaultPlan = [
      { kind: 'answer', match: { method: 'PATCH' }, status: 500 },
      { kind: 'stop', domain: 'engine', when: 'after', write: 2 },
    ]
    expect(await writesUnder(plan, transport)).toBe('begun 2, answered 1, seen 1')
  })

  it('a run with fewer writes is not halted', async () => {
    const plan: FaultPlan = [{ kind: 'stop', domain: 'engine', when: 'before', write: 5 }]
    expect(await writesUnder(plan, transport)).toBe('begun 4, answered 4, seen 4')
  })
})

describe('other faults', () => {
  const withPlan = async <T>(
    plan: FaultPlan,
    life: (send: HttpHandler, simulation: Simulation) => Promise<T>,
  ): Promise<T> => {
    const simulation = createSimulation(1)
    const send = simulation.domain('engine').connect(withFaults(createServer().handler, plan, simulation))
    return simulation.run(() => life(send, simulation))
  }

  it('drop breaks the n-th matching response after the given number of bytes', () =>
    withPlan([{ kind: 'drop', match: { contains: 'watch', from: 2 }, afterBytes: 6 }], async (send) => {
      expect(await textOf(await send(request('GET', '/pods?watch=true')))).toBe('one,two,three')
      const stream = (await send(request('GET', '/pods?watch=true'))).body as HttpBody
      let seen = ''
      const read = async (): Promise<void> => {
        for await (const chunk of stream) seen += new TextDecoder().decode(chunk)
      }
      await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(seen).toBe('one,tw')
      expect(await textOf(await send(request('GET', '/pods?watch=true')))).toBe('one,two,three')
    }))

  it('drop after 0 bytes loses the response of a write that was done', () =>
    withPlan([{ kind: 'drop', match: { method: 'POST' }, afterBytes: 0 }], async (send) => {
      await expect(send(request('POST', '/pods'))).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(await textOf(await send(request('GET', '/pods')))).toBe('list of 1')
    }))

  it('delay delays the response and each chunk', () =>
    withPlan([{ kind: 'delay', match: { contains: 'watch' }, milliseconds: 500 }], async (send, { clock }) => {
      const answer = await send(request('GET', '/pods?watch=true'))
      expect(clock.monotonic()).toBe(500)
      expect(await textOf(answer)).toBe('one,two,three')
      expect(clock.monotonic()).toBe(2000)
    }))

  it('stale repeats an earlier list', () =>
    withPlan([{ kind: 'stale', match: { method: 'GET', contains: '/pods', from: 3 }, back: 2 }], async (send) => {
      const lists: string[] = []
      for (const limit of [1, 2, 3, 4]) {
        await send(request('POST', '/pods'))
        lists.push(await textOf(await send(request('GET', `/pods?limit=${limit}`))))
      }
      expect(lists).toEqual(['list of 1', 'list of 2', 'list of 1', 'list of 4'])
    }))

  it.each([
    [410, 'Expired'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
  ])('answer gives a %i in the place of the server', (status, reason) =>
    withPlan(
      [{ kind: 'answer', match: { method: 'POST', from: 2, count: 2 }, status, headers: { 'retry-after': '7' } }],
      async (send) => {
        const statuses: number[] = []
        for (let write = 0; write < 4; write++) {
          const answer = await send(request('POST', '/pods'))
          statuses.push(answer.status)
          if (write !== 1) continue
          expect(answer.headers['retry-after']).toBe('7')
          expect(JSON.parse(await textOf(answer))).toMatchObject({ kind: 'Status', reason, code: status })
        }
        expect(statuses).toEqual([200, status, status, 200])
        expect(await textOf(await send(request('GET', '/pods')))).toBe('list of 2')
      },
    ),
  )

  it('answer responds with any text', () =>
    withPlan([{ kind: 'answer', match: {}, status: 200, body: '<html>' }], async (send) => {
      expect(await textOf(await send(request('GET', '/pods')))).toBe('<html>')
    }))
})

it('faults work on a real socket, too', async () => {
  const runtime = createRealRuntime()
  const halted: string[] = []
  const plan: FaultPlan = [
    { kind: 'stop', domain: 'engine', when: 'after', write: 2 },
    { kind: 'drop', match: { method: 'GET', contains: 'list' }, afterBytes: 4 },
    { kind: 'drop', match: { method: 'GET', contains: 'none' }, afterBytes: 0 },
  ]
  const server = createServer()
  const world = { clock: runtime.clock, halt: (domain: string) => halted.push(domain) }
  const listener = await runtime.http.listen({ host: '127.0.0.1', port: 0 }, withFaults(server.handler, plan, world))
  const endpoint = { origin: `http://127.0.0.1:${listener.port}` }
  await expect(runtime.http.request(endpoint, request('GET', '/list')).then(textOf)).rejects.toThrow()
  await expect(runtime.http.request(endpoint, request('GET', '/none'))).rejects.toThrow()
  expect((await runtime.http.request(endpoint, request('POST', '/'))).status).toBe(200)
  const controller = new AbortController()
  const lost = runtime.http.request(endpoint, { ...request('POST', '/'), signal: controller.signal })
  while (halted.length === 0) await runtime.clock.sleep(1)
  controller.abort(new Error('given up'))
  await expect(lost).rejects.toThrow('given up')
  expect([halted, server.written()]).toEqual([['engine'], 2])
  await listener.close()
  await runtime.close()
})
