import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpHandler, HttpResponse } from '../../runtime/http.ts'
import { createAuthority, createRealRuntime, type RealRuntime } from '../../runtime/real/index.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { WatchEvent } from '../client/client.ts'
import { resources } from '../kinds/index.ts'
import { type Cluster, connect } from './connect.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const json = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: bytes(JSON.stringify(value)),
})
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' } })
const event = (name: string): WatchEvent => ({ type: 'ADDED', object: pod(name) })
const authority = createAuthority('test')
const local = { commonName: 'local', names: ['127.0.0.1'] }

/** From a kubeconfig file through a socket to a response, with failures on the way. */
describe('connect', () => {
  let runtime: RealRuntime
  let world: Runtime
  let directory: string
  let cluster: Cluster | undefined
  let waits: number[]
  let time: { passed: number }
  const opened: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    runtime = createRealRuntime({ log: { level: 'error' } })
    directory = await runtime.files.makeTemporary('connect-')
    waits = []
    time = { passed: 0 }
    const sleep = async (wait: number) => {
      waits.push(wait)
    }
    const monotonic = () => runtime.clock.monotonic() + time.passed
    world = {
      ...runtime,
      clock: { ...runtime.clock, sleep, monotonic },
      random: { ...runtime.random, next: () => 0.5 },
    }
  })
  afterEach(async () => {
    await cluster?.close()
    cluster = undefined
    for (const one of opened.splice(0)) await one.close()
    await runtime.files.remove(directory)
    await runtime.close()
  })

  async function serve(handler: HttpHandler, user: object = {}) {
    const tls = { ...authority.issueServer(local), clientCa: authority.cert }
    const listener = await runtime.http.listen({ host: '127.0.0.1', port: 0, tls }, handler)
    opened.push(listener)
    await runtime.files.write(`${directory}/ca.pem`, authority.cert)
    const server = `https://127.0.0.1:${listener.port}`
    const kubeconfig = {
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority': 'ca.pem' } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    }
    await runtime.files.write(`${directory}/config`, JSON.stringify(kubeconfig))
    cluster = await connect(world, { kubeconfig: `${directory}/config` })
    return { client: cluster.client, listener }
  }

  const answers =
    (...script: HttpResponse[]): HttpHandler =>
    async () =>
      script.shift() ?? json(pod('web'))

  async function get(handler: HttpHandler) {
    const { client } = await serve(handler)
    return client.of(resources.pods).get('web', { namespace: 'shop' })
  }

  async function watch(...chunks: Uint8Array[]): Promise<WatchEvent[]> {
    const body = async function* () {
      yield* chunks
    }
    const { client } = await serve(async () => ({ status: 200, headers: {}, body: body() }))
    const events: WatchEvent[] = []
    for await (const one of client.of(resources.pods).watch()) events.push(one)
    return events
  }

  it('waits for the Retry-After of a busy server, else with back-off', async () => {
    const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests' }
    const answer = await get(answers(json(busy, 429, { 'retry-after': '3' }), json(busy, 429)))
    expect(answer.metadata.name).toBe('web')
    expect(waits).toEqual([3050, 100])
  })

  it('retries through a burst of server errors', async () => {
    const gateway = { status: 502, headers: { 'content-type': 'text/html' }, body: bytes('<h1>Bad gateway</h1>') }
    const answer = await get(answers(json({}, 500), gateway, json({}, 503)))
    expect(answer.metadata.name).toBe('web')
  })

  it('reports a response that does not come from an API server', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: bytes('<html>Please log in</html>') }
    await expect(get(answers(page))).rejects.toMatchObject({
      code: 'CRB_API_ANSWER_MALFORMED',
      message: expect.stringContaining('"<html>Please log in</html>"'),
    })
  })

  it('reads a watch to its end', async () => {
    const text = bytes(`${JSON.stringify(event('a'))}\n${JSON.stringify(event('ü'))}\n`)
    expect(await watch(text.subarray(0, 5), text.subarray(5, 90), text.subarray(90))).toEqual([event('a'), event('ü')])
  })

  it.each([
    ['invalid UTF-8', new Uint8Array([123, 34, 0xff, 34, 58, 49, 125, 10]), 'CRB_API_ANSWER_MALFORMED'],
    ['HTML', bytes('<html>\n'), 'CRB_API_ANSWER_MALFORMED'],
    ['half an event', bytes('{"type":"ADDED","obj'), 'CRB_CONNECTION_BROKEN'],
  ])('rejects a watch that brings %s', async (_, chunk, code) => {
    await expect(watch(chunk)).rejects.toMatchObject({ code })
  })

  it('uses a new token when the old one has expired, in requests and in watches', async () => {
    let valid = 'one'
    const handler: HttpHandler = async ({ headers, target }) => {
      if (headers['authorization'] !== `Bearer ${valid}`) return json({ kind: 'Status', code: 401 }, 401)
      return target.includes('watch=') ? { status: 200, headers: {}, body: bytes('') } : json(pod('web'))
    }
    await runtime.files.write(`${directory}/token`, 'one')
    const { client } = await serve(handler, { tokenFile: 'token' })
    const pods = client.of(resources.pods)
    await pods.get('web', { namespace: 'shop' })
    valid = 'two'
    await expect(pods.get('web', { namespace: 'shop' })).rejects.toMatchObject({ code: 'CRB_API_UNAUTHORIZED' })
    await runtime.files.write(`${directory}/token`, 'two')
    for await (const _ of pods.watch()) expect.unreachable()
    await pods.get('web', { namespace: 'shop' })
  })

  it('continues when the client certificate, the server certificate and their CA are renewed', async () => {
    const names: string[] = []
    const handler: HttpHandler = async ({ peer }) => {
      names.push(peer?.certificate?.commonName ?? '')
      return json(pod('web'))
    }
    const writePair = async (commonName: string) => {
      const { cert, key } = authority.issueClient({ commonName })
      await runtime.files.write(`${directory}/cert.pem`, cert)
      await runtime.files.write(`${directory}/key.pem`, key)
    }
    await writePair('old')
    const { client, listener } = await serve(handler, { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' })
    const pods = client.of(resources.pods)
    await pods.get('web', { namespace: 'shop' })
    await writePair('new')
    time.passed += 60_000
    await pods.get('web', { namespace: 'shop' })
    const second = createAuthority('second')
    listener.reload({ ...second.issueServer(local), clientCa: authority.cert })
    await runtime.files.write(`${directory}/ca.pem`, second.cert)
    await writePair('newest')
    time.passed += 60_000
    await pods.get('web', { namespace: 'shop' })
    expect(names).toEqual(['old', 'new', 'newest'])
  })
})
