import { describe, expect, it } from 'vitest'
import type { HttpBody, HttpHandler, HttpResponse } from '../http.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const get = (target: string) => ({ method: 'GET', target, headers: {} })
const origin = 'http://127.0.0.1:8080'

function streamOf(response: HttpResponse): AsyncIterator<Uint8Array> {
  if (response.body instanceof Uint8Array) throw new TypeError('the body is not a stream')
  return response.body[Symbol.asyncIterator]()
}

/** A server that streams a letter every second while a client is connected. */
async function listen(simulation: Simulation, name: string, onGone: () => void = () => undefined): Promise<void> {
  const { clock, http } = simulation.domain(name).runtime
  const handler: HttpHandler = async ({ signal }) => {
    signal?.addEventListener('abort', onGone)
    const body = async function* (): HttpBody {
      for (;;) {
        await clock.sleep(1000, signal)
        yield encode('x')
      }
    }
    return { status: 200, headers: {}, body: body() }
  }
  await http.listen({ host: '127.0.0.1', port: 8080 }, handler)
}

describe('halting a domain', () => {
  it('stops its timers and awaits and does not affect other domains', async () => {
    const simulation = createSimulation(1)
    const happened: string[] = []
    const live = async (name: string): Promise<void> => {
      const { clock, files } = simulation.domain(name).runtime
      for (;;) {
        await clock.sleep(1000)
        await files.append('/tmp/journal', name)
        happened.push(name)
      }
    }
    void live('a')
    void live('b')
    await simulation.advance(1500)
    simulation.halt('a')
    await simulation.advance(2000)
    expect(happened.filter((name) => name === 'a')).toHaveLength(1)
    expect(happened.filter((name) => name === 'b')).toHaveLength(3)
    const journal = await simulation.run(() => simulation.runtime.files.readText('/tmp/journal'))
    expect(journal.split('').sort().join('')).toBe('abbb')
  })

  it('drops what was begun before: no file, no request, no log', async () => {
    const simulation = createSimulation(1)
    let served = 0
    await simulation.run(async () => {
      await simulation.runtime.http.listen({ host: '127.0.0.1', port: 8080 }, async () => {
        served++
        return { status: 200, headers: {}, body: encode('') }
      })
      const { files, http, log } = simulation.domain('a').runtime
      void files.write('/tmp/file', 'x')
      void http.request({ origin }, get('/'))
      simulation.halt('a')
      log.info('after the end')
      await simulation.clock.sleep(1)
      expect(await simulation.runtime.files.facts('/tmp/file')).toBeUndefined()
    })
    expect(served).toBe(0)
    expect(simulation.logs).toEqual([])
  })

  it('aborts the request at the server', async () => {
    const simulation = createSimulation(1)
    let gone = 0
    await simulation.run(async () => {
      await listen(simulation, 'server', () => gone++)
      const stream = streamOf(await simulation.domain('client').runtime.http.request({ origin }, get('/')))
      await stream.next()
      void stream.next()
      simulation.halt('client')
      await simulation.clock.sleep(1)
    })
    expect(gone).toBe(1)
  })

  it('breaks the connections of a server and refuses new ones until it is started again', async () => {
    const simulation = createSimulation(1)
    const { http } = simulation.domain('client').runtime
    await simulation.run(async () => {
      await listen(simulation, 'server')
      const open = streamOf(await http.request({ origin }, get('/')))
      await open.next()
      const pending = open.next()
      simulation.halt('server')
      await expect(pending).rejects.toMatchObject({ code: 'ECONNRESET' })
      await expect(open.next()).rejects.toMatchObject({ code: 'ECONNRESET' })
      await expect(http.request({ origin }, get('/'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await listen(simulation, 'server')
      expect((await http.request({ origin }, get('/'))).status).toBe(200)
    })
  })

  it('a new process with the same name has other random numbers', () => {
    const simulation = createSimulation(1)
    const first = simulation.domain('engine')
    expect(simulation.domain('engine')).toBe(first)
    const uuid = first.runtime.random.uuid()
    first.halt()
    const second = simulation.domain('engine')
    expect(second.name).toBe('engine#2')
    expect(second.runtime.random.uuid()).not.toBe(uuid)
  })

  it('halts its child processes', async () => {
    const simulation = createSimulation(1)
    let beats = 0
    simulation.script('heart', async ({ runtime }) => {
      for (;;) {
        await runtime.clock.sleep(100)
        beats++
      }
    })
    simulation.domain('engine').runtime.processes.spawn({ command: 'heart', env: {} })
    await simulation.advance(350)
    simulation.halt('engine')
    await simulation.advance(1000)
    expect(beats).toBe(3)
  })
})

describe('connect', () => {
  it('calls a handler in later turns and breaks when either side is halted', async () => {
    const simulation = createSimulation(1)
    const silent: HttpHandler = () => new Promise(() => undefined)
    await simulation.run(async () => {
      const [client, server] = [simulation.domain('client'), simulation.domain('server')]
      const echo = client.connect(async ({ target }) => ({ status: 200, headers: {}, body: encode(target) }))
      expect((await echo(get('/here'))).body).toEqual(encode('/here'))
      const broken = client.connect(silent, server)(get('/'))
      simulation.halt('server')
      await expect(broken).rejects.toMatchObject({ code: 'ECONNRESET' })
      await expect(client.connect(silent, server)(get('/'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    })
  })
})

it('jumpClock changes the wall clock of one domain but not its monotonic clock', async () => {
  const simulation = createSimulation(1, { start: 1_000_000 })
  const [a, b] = [simulation.domain('a'), simulation.domain('b')]
  a.jumpClock(-5000)
  await simulation.advance(10)
  expect([a.runtime.clock.now(), b.runtime.clock.now()]).toEqual([995_010, 1_000_010])
  expect(a.runtime.clock.monotonic()).toBe(b.runtime.clock.monotonic())
})
