import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime, type RealRuntime } from '../../runtime/real/index.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { createClient } from '../client/create.ts'
import type { Connection } from '../config/connection.ts'
import { resources } from '../kinds/index.ts'
import { LargeResponses, type ResponseLimits } from './response-limits.ts'
import { networkTransport } from './transport.ts'

const kilobyte = 1024
const limits: ResponseLimits = { maxBytes: 512 * kilobyte, maxListBytes: 1024 * kilobyte, maxMs: 2_000 }
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** A server that a hostile kubeconfig names: it writes what it likes and never ends a response by itself. */
describe('responses of a hostile server', () => {
  let runtime: RealRuntime
  let server: Server | undefined
  const sockets = new Set<Socket>()
  let sent = 0
  let closed = 0

  beforeEach(() => {
    runtime = createRealRuntime({ log: { level: 'error' } })
    sent = 0
    closed = 0
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server?.close(resolve))
    await runtime.close()
  })

  async function connected(answer: (socket: Socket) => void, given: Partial<ResponseLimits> = {}) {
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        closed += 1
      })
      socket.on('data', () => answer(socket))
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const connection: Connection = {
      name: 'hostile',
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      namespace: 'default',
      identity: async () => ({ tls: {}, headers: {} }),
      renew: async () => false,
    }
    const transport = networkTransport(connection, runtime, { ...limits, ...given })
    return createClient({ transport, runtime })
  }

  /** Writes the same text until the peer closes the connection. */
  const endless = (socket: Socket, text: string) => {
    const write = () => {
      while (!socket.destroyed) {
        sent += text.length
        if (!socket.write(chunk(text))) break
      }
    }
    socket.on('drain', write)
    write()
  }
  const failure = (request: Promise<unknown>) =>
    request.then(
      () => 'accepted',
      (error: { code?: string; message: string }) => `${error.code}: ${error.message.replace(/:\d+: /, ': ')}`,
    )
  const get = (client: Awaited<ReturnType<typeof connected>>) =>
    failure(client.of(resources.configMaps).get('a', { namespace: 'b' }))

  it('end after the limit of bytes, and the connection is closed', async () => {
    const client = await connected((socket) => {
      socket.write(head)
      endless(socket, 'x'.repeat(16 * kilobyte))
    })
    expect(await get(client)).toMatch(/^CRB_API_ANSWER_TOO_LARGE: .* to GET \/api\S+ is larger than 1 MiB\.$/)
    // What the sockets buffer, and no more.
    expect(sent).toBeLessThan(32 * 1024 * kilobyte)
    await expect.poll(() => closed).toBeGreaterThan(0)
  })

  it.each(['HTTP/1.1 500 No\r\n', 'HTTP/1.1 404 No\r\n'])('end after the limit of bytes with %j', async (status) => {
    const client = await connected((socket) => {
      socket.write(`${status}transfer-encoding: chunked\r\n\r\n`)
      endless(socket, '<'.repeat(16 * kilobyte))
    })
    expect(await get(client)).toContain('CRB_API_ANSWER_TOO_LARGE')
  })

  it('end after the limit of time when they come byte by byte', async () => {
    const client = await connected(
      (socket) => {
        socket.write(head)
        const timer = setInterval(() => socket.write(chunk(' ')), 20)
        socket.on('close', () => clearInterval(timer))
      },
      { maxMs: 200 },
    )
    expect(await get(client)).toMatch(/^CRB_API_ANSWER_LATE: .* has not ended after 0\.2 s\.$/)
    await expect.poll(() => closed).toBeGreaterThan(0)
  })

  it('end after the limit of time when not even their head comes', async () => {
    const client = await connected(() => undefined, { maxMs: 100 })
    expect(await get(client)).toContain('CRB_API_ANSWER_LATE')
  })

  it('end after the limit of bytes in a list that goes on', async () => {
    const client = await connected((socket) => {
      socket.write(head)
      socket.write(chunk('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}'))
      endless(socket, ',{"metadata":{"name":"a"}}'.repeat(100))
    })
    expect(await failure(client.of(resources.configMaps).list({}))).toContain('CRB_API_ANSWER_TOO_LARGE')
    expect(sent).toBeLessThan(32 * 1024 * kilobyte)
  })

  it('end after the limit of bytes in an event of a watch and in a refused watch', async () => {
    const client = await connected((socket) => {
      socket.write(head)
      endless(socket, 'x'.repeat(64 * kilobyte))
    })
    const watch = async () => {
      for await (const _ of client.of(resources.configMaps).watch()) expect.unreachable()
    }
    expect(await failure(watch())).toContain('CRB_API_ANSWER_TOO_LARGE')
    await expect.poll(() => closed).toBeGreaterThan(0)
  })

  it('share the memory for large responses, and small ones need none of it', async () => {
    const largeResponses = new LargeResponses(300 * kilobyte)
    const client = await connected(
      (socket) => {
        socket.write(head)
        endless(socket, 'x'.repeat(16 * kilobyte))
      },
      { largeResponses },
    )
    expect(await get(client)).toContain('larger than 1 MiB')
    largeResponses.reserve(200 * kilobyte)
    expect(await get(client)).toContain('other large responses use up the memory')
    // Everything was given back.
    expect([largeResponses.reserve(100 * kilobyte), largeResponses.reserve(1)]).toEqual([true, false])
  })

  it('are refused when they nest values without end', async () => {
    const deep = '['.repeat(100_000)
    const client = await connected((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${deep.length}\r\n\r\n${deep}`)
    })
    expect(await get(client)).toMatch(/^CRB_API_ANSWER_MALFORMED: .* is JSON that nests values deeper than 10000/)
  })

  it('do not follow a redirect', async () => {
    const client = await connected((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n')
    })
    expect(await get(client)).toContain('CRB_API_ANSWER_MALFORMED')
  })

  it('do not take long to quote in an error', () => {
    const { runtime: simulated } = createSimulation(1)
    const body = new TextEncoder().encode('<'.repeat(1024 * kilobyte))
    const transport = {
      send: async () => ({ status: 500, headers: {}, body }),
      open: () => Promise.reject(new Error('unused')),
      close: async () => undefined,
    }
    const started = performance.now()
    return get(createClient({ transport, runtime: simulated })).then((said) => {
      expect(said).toContain('CRB_API_REFUSED')
      expect(performance.now() - started).toBeLessThan(1_000)
    })
  })
})
