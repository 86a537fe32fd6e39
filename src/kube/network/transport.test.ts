import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpHandler, HttpListener, HttpRequest, HttpResponse, TlsClientOptions } from '../../runtime/http.ts'
import { createAuthority, createRealRuntime, type RealRuntime } from '../../runtime/real/index.ts'
import type { Connection, Identity } from '../config/connection.ts'
import type { Transport } from '../transport/transport.ts'
import { networkTransport } from './transport.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (body: Uint8Array) => new TextDecoder().decode(body)
const ok = (body = 'ok'): HttpResponse => ({ status: 200, headers: {}, body: bytes(body) })
const authority = createAuthority('test')
const local = { commonName: 'local', names: ['127.0.0.1', 'localhost'] }
const server = authority.issueServer(local)

describe('networkTransport', () => {
  let runtime: RealRuntime
  const opened: { close(): Promise<unknown> | unknown }[] = []

  beforeEach(() => {
    runtime = createRealRuntime()
  })
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
    await runtime.close()
  })

  async function listen(handler: HttpHandler, tls = { ...server, clientCa: authority.cert }): Promise<HttpListener> {
    const listener = await runtime.http.listen({ host: '127.0.0.1', port: 0, tls }, handler)
    opened.push(listener)
    return listener
  }

  /** A transport whose identity the test can change by assignment. */
  function transportTo(address: string, tls: TlsClientOptions = { ca: authority.cert }, proxy?: string) {
    const held: { identity: Identity; renew: () => boolean } = { identity: { tls, headers: {} }, renew: () => false }
    const connection: Connection = {
      name: 'test',
      server: address,
      namespace: 'default',
      ...(proxy === undefined ? {} : { proxy }),
      identity: async () => held.identity,
      renew: async () => held.renew(),
    }
    // Waits between attempts are skipped: what is waited for is asserted in retry.test.ts.
    const clock = { ...runtime.clock, sleep: () => Promise.resolve() }
    const transport = networkTransport(connection, { clock, random: runtime.random })
    opened.push(transport)
    return { transport, held }
  }

  /** Hands connections on to `target`; with `greet` it first talks to the client itself, as a proxy does. */
  async function relay(target: number, greet?: (first: Buffer, socket: Socket) => void) {
    let connections = 0
    const relaying = createServer((socket) => {
      connections += 1
      const upstream = connect(target, '127.0.0.1')
      for (const [one, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        one.on('error', () => other.destroy())
        one.on('close', () => other.destroy())
      }
      const join = () => socket.pipe(upstream).pipe(socket)
      if (greet === undefined) join()
      else {
        socket.once('data', (first) => {
          greet(first, socket)
          join()
        })
      }
    })
    await new Promise<void>((resolve) => relaying.listen(0, '127.0.0.1', resolve))
    opened.push(relaying)
    return { port: (relaying.address() as AddressInfo).port, connections: () => connections }
  }

  const get = (transport: Transport, target = '/version') => transport.send({ method: 'GET', target, headers: {} })

  async function read(transport: Transport, target = '/watch', signal?: AbortSignal): Promise<string> {
    const request = { method: 'GET', target, headers: {}, ...(signal === undefined ? {} : { signal }) }
    const { body } = await transport.open(request)
    let all = ''
    for await (const chunk of body) all += text(chunk)
    return all
  }

  it('keeps the connection after a DELETE with a body', async () => {
    const { port } = await listen(async () => ok())
    const middle = await relay(port)
    const { transport } = transportTo(`https://127.0.0.1:${middle.port}`)
    const remove = { method: 'DELETE', target: '/one', headers: {}, body: bytes('{}') }
    for (let time = 0; time < 10; time++) await transport.send(remove)
    // A request that comes in the very moment in which another one ends may get a connection of its own.
    expect(middle.connections()).toBeLessThan(4)
  })

  it('sends method, prefixed path, headers and body, and returns the whole response', async () => {
    const seen: HttpRequest[] = []
    const { port } = await listen(async (request) => {
      seen.push(request)
      return { status: 201, headers: { 'x-a': 'b' }, body: bytes('done') }
    })
    const { transport, held } = transportTo(`https://127.0.0.1:${port}/k8s/c1`)
    held.identity = { ...held.identity, headers: { authorization: 'Bearer t', 'impersonate-group': ['a', 'b'] } }
    const answer = await transport.send({
      method: 'POST',
      target: '/api?x=1',
      headers: { accept: 'application/json' },
      body: bytes('{}'),
    })
    expect([answer.status, answer.headers['x-a'], text(answer.body)]).toEqual([201, 'b', 'done'])
    const [request] = seen
    expect([request?.method, request?.target, text(request?.body ?? bytes(''))]).toEqual([
      'POST',
      '/k8s/c1/api?x=1',
      '{}',
    ])
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer t',
      'impersonate-group': 'a, b',
    })
  })

  it('presents a client certificate', async () => {
    const { port } = await listen(async ({ peer }) => ok(JSON.stringify(peer?.certificate)))
    const client = authority.issueClient({ commonName: 'ann', organizations: ['dev'] })
    const { transport } = transportTo(`https://127.0.0.1:${port}`, { ca: authority.cert, ...client })
    expect(JSON.parse(text((await get(transport)).body))).toEqual({ commonName: 'ann', organizations: ['dev'] })
  })

  it('uses a renewed client certificate for new requests and keeps open streams', async () => {
    let finish: (() => void) | undefined
    const { port } = await listen(async ({ target, peer }) => {
      const name = peer?.certificate?.commonName ?? ''
      if (target !== '/watch') return ok(name)
      async function* body() {
        yield bytes(`${name};`)
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        yield bytes('end')
      }
      return { status: 200, headers: {}, body: body() }
    })
    const tls = (name: string) => ({ ca: authority.cert, ...authority.issueClient({ commonName: name }) })
    const { transport, held } = transportTo(`https://127.0.0.1:${port}`, tls('old'))
    const stream = read(transport)
    expect(text((await get(transport)).body)).toBe('old')
    await expect.poll(() => finish).toBeDefined()
    held.identity = { tls: tls('new'), headers: {} }
    expect(text((await get(transport)).body)).toBe('new')
    finish?.()
    expect(await stream).toBe('old;end')
  })

  it('accepts a server with a renewed CA as soon as the files contain it', async () => {
    const second = createAuthority('second')
    const { port } = await listen(async () => ok(), { ...second.issueServer(local), clientCa: authority.cert })
    const { transport, held } = transportTo(`https://127.0.0.1:${port}`)
    held.renew = () => {
      held.identity = { tls: { ca: second.cert }, headers: {} }
      return true
    }
    expect(text((await get(transport)).body)).toBe('ok')
  })

  it.each(['send', 'open'] as const)('renews the identity once when %s is answered with 401', async (way) => {
    const seen: string[] = []
    const { port } = await listen(async ({ headers }) => {
      seen.push(headers['authorization'] ?? '')
      return headers['authorization'] === 'Bearer new' ? ok() : { status: 401, headers: {}, body: bytes('no') }
    })
    const { transport, held } = transportTo(`https://127.0.0.1:${port}`)
    const call = () => transport[way]({ method: 'GET', target: '/', headers: {} })
    held.identity = { ...held.identity, headers: { authorization: 'Bearer old' } }
    expect((await call()).status).toBe(401)
    held.renew = () => {
      held.identity = { ...held.identity, headers: { authorization: 'Bearer new' } }
      return true
    }
    expect((await call()).status).toBe(200)
    expect(seen).toEqual(['Bearer old', 'Bearer old', 'Bearer new'])
  })

  it('opens 200 streams over a few HTTP/2 connections beside unary requests', async () => {
    const release = new AbortController()
    const released = new Promise<void>((resolve) => release.signal.addEventListener('abort', () => resolve()))
    let open = 0
    const { port } = await listen(async ({ target }) => {
      if (target === '/count') return ok(String(open))
      open += 1
      async function* body() {
        yield bytes('a')
        await released
        yield bytes('b')
      }
      return { status: 200, headers: {}, body: body() }
    })
    const relayed = await relay(port)
    const { transport } = transportTo(`https://127.0.0.1:${relayed.port}`)
    const streams = Array.from({ length: 200 }, () => read(transport))
    await expect.poll(() => open, { timeout: 10_000 }).toBe(200)
    expect(text((await get(transport, '/count')).body)).toBe('200')
    release.abort()
    expect(new Set(await Promise.all(streams))).toEqual(new Set(['ab']))
    // Three for the streams, one for the unary request, one to ask for the protocol.
    expect(relayed.connections()).toBe(5)
  })

  it('opens many streams on a server without HTTP/2', async () => {
    let open = 0
    const plain = createHttpsServer({ cert: server.cert, key: server.key }, (_, response) => {
      open += 1
      response.write('a')
      const wait = () => (open === 5 ? response.end('b') : setImmediate(wait))
      wait()
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    opened.push(plain)
    const { transport } = transportTo(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`)
    const all = await Promise.all(Array.from({ length: 5 }, () => read(transport)))
    expect(all).toEqual(['ab', 'ab', 'ab', 'ab', 'ab'])
  })

  it('ends a stream with the reason of the signal', async () => {
    const { port } = await listen(async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield bytes('a')
        await new Promise(() => undefined)
      })(),
    }))
    const { transport } = transportTo(`https://127.0.0.1:${port}`)
    const stop = new AbortController()
    const { body } = await transport.open({ method: 'GET', target: '/', headers: {}, signal: stop.signal })
    const reading = (async () => {
      for await (const _ of body) stop.abort(new Error('enough'))
    })()
    await expect(reading).rejects.toThrow('enough')
  })

  describe('faults', () => {
    /** A server on bare sockets; each connection gets the next line of the script. */
    async function sockets(...script: ((socket: Socket) => void)[]): Promise<string> {
      const raw = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => (script.shift() ?? ((left: Socket) => left.destroy()))(socket))
      })
      await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
      opened.push(raw)
      return `http://127.0.0.1:${(raw.address() as AddressInfo).port}`
    }
    const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\n'
    const reset = (socket: Socket) => socket.resetAndDestroy()
    const half = (socket: Socket) => socket.write(`${head}half`, () => socket.resetAndDestroy())
    const whole = (socket: Socket) => socket.end(`${head}0123456789`)

    it('retries a read whose connection is reset before or during the response', async () => {
      const { transport } = transportTo(await sockets(reset, half, whole))
      expect(text((await get(transport)).body)).toBe('0123456789')
    })

    it('does not retry a create, which may have succeeded', async () => {
      const { transport } = transportTo(await sockets(reset, whole))
      const create = transport.send({ method: 'POST', target: '/', headers: {}, body: bytes('{}') })
      await expect(create).rejects.toMatchObject({ code: 'CRB_CONNECTION_BROKEN' })
    })

    it('rejects a reset stream after the data received so far', async () => {
      const { transport } = transportTo(await sockets(half))
      const { body } = await transport.open({ method: 'GET', target: '/', headers: {} })
      const came: string[] = []
      const reading = (async () => {
        for await (const chunk of body) came.push(text(chunk))
      })()
      await expect(reading).rejects.toMatchObject({ code: 'CRB_CONNECTION_BROKEN' })
      expect(came.join('')).toBe('half')
    })

    it('gives up on a server that keeps returning 503, with its last response', async () => {
      let asked = 0
      const { port } = await listen(async () => {
        asked += 1
        return { status: 503, headers: {}, body: bytes('down') }
      })
      const { transport } = transportTo(`https://127.0.0.1:${port}`)
      expect((await get(transport)).status).toBe(503)
      expect(asked).toBe(6)
    })
  })

  describe('messages for failed connections', () => {
    it('names a refused connection', async () => {
      const listener = await listen(async () => ok())
      await listener.close()
      const address = `https://127.0.0.1:${listener.port}`
      const { transport } = transportTo(address)
      const problem = {
        code: 'CRB_CONNECTION_REFUSED',
        message: expect.stringContaining(`${address}: the connection was refused`),
      }
      await expect(get(transport)).rejects.toMatchObject(problem)
      await expect(read(transport)).rejects.toMatchObject(problem)
    })

    it('names a host that does not exist', async () => {
      const { transport } = transportTo('https://nowhere.invalid:6443')
      await expect(get(transport)).rejects.toMatchObject({ code: 'CRB_CONNECTION_FAILED' })
    })

    it.each<[string, () => { cert: string; key: string }, TlsClientOptions, string]>([
      [
        'an expired certificate',
        () => authority.issueServer(local, { from: 0, until: 86_400_000 }),
        {},
        'CRB_TLS_EXPIRED',
      ],
      ['an unknown authority', () => createAuthority('other').issueServer(local), {}, 'CRB_TLS_UNTRUSTED'],
      [
        'another host',
        () => authority.issueServer({ commonName: 'x', names: ['example.com'] }),
        {},
        'CRB_TLS_WRONG_HOST',
      ],
      ['a name that differs', () => server, { serverName: 'other.example.com' }, 'CRB_TLS_WRONG_HOST'],
    ])('names %s', async (_, issue, tls, code) => {
      const { port } = await listen(async () => ok(), { ...issue(), clientCa: authority.cert })
      const { transport } = transportTo(`https://127.0.0.1:${port}`, { ca: authority.cert, ...tls })
      await expect(get(transport)).rejects.toMatchObject({ code })
      await expect(read(transport)).rejects.toMatchObject({ code })
    })

    it('connects with another server name or without verification when configured', async () => {
      const pair = authority.issueServer({ commonName: 'x', names: ['example.com'] })
      const { port } = await listen(async () => ok(), { ...pair, clientCa: authority.cert })
      const address = `https://127.0.0.1:${port}`
      const named = transportTo(address, { ca: authority.cert, serverName: 'example.com' })
      expect((await get(named.transport)).status).toBe(200)
      const careless = transportTo(address, { insecureSkipVerify: true })
      expect(await read(careless.transport)).toBe('ok')
    })

    it('names a server without TLS', async () => {
      const plain = await runtime.http.listen({ host: '127.0.0.1', port: 0 }, async () => ok())
      opened.push(plain)
      const { transport } = transportTo(`https://127.0.0.1:${plain.port}`)
      await expect(get(transport)).rejects.toMatchObject({ code: 'CRB_TLS_FAILED' })
    })
  })

  it('connects through an HTTP proxy, for streams too', async () => {
    const { port } = await listen(async () => ok('through'))
    const asked: string[] = []
    const proxy = await relay(port, (first, socket) => {
      asked.push(first.toString().split('\r\n', 1)[0] ?? '')
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    })
    const address = `http://127.0.0.1:${proxy.port}`
    const { transport } = transportTo(`https://localhost:${port}`, { ca: authority.cert }, address)
    expect(text((await get(transport)).body)).toBe('through')
    expect(await read(transport)).toBe('through')
    expect(asked).toEqual([`CONNECT localhost:${port} HTTP/1.1`, `CONNECT localhost:${port} HTTP/1.1`])
  })
})
