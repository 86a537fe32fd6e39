import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { HttpCall } from '../action/index.ts'
import type { AddressPolicy } from './address.ts'
import { type HttpAnswer, HttpSender } from './sender.ts'

const text = (value: string) => new TextEncoder().encode(value)
const ok: HttpResponse = { status: 200, headers: {}, body: new Uint8Array() }
const call: HttpCall = { url: 'http://receiver/services/T0AAAAAAA/xyzzyXYZZY?token=s3cret-of-query', body: '{}' }

interface World {
  readonly runtime: Runtime
  readonly requests: readonly HttpRequest[]
  send(change?: Partial<HttpCall>, addressPolicy?: AddressPolicy): Promise<HttpAnswer>
}

/** A receiver that answers with `respond`, and a Secret `hook` with a token. */
function withReceiver(respond: (runtime: Runtime) => HttpResponse, play: (world: World) => Promise<void>) {
  const simulation = createSimulation(1)
  return simulation.run(async () => {
    const { runtime } = simulation
    const requests: HttpRequest[] = []
    await runtime.http.listen({ host: 'receiver', port: 80 }, async (request) => {
      requests.push(request)
      return respond(runtime)
    })
    const secret = { kind: 'Secret', metadata: { name: 'hook' }, data: { token: btoa('Bearer abcdefgh') } }
    const transport = handlerTransport(async () => ({
      ...{ status: 200, headers: { 'content-type': 'application/json' } },
      body: text(JSON.stringify(secret)),
    }))
    const client: KubeClient = createClient({ transport, runtime })
    const { signal } = new AbortController()
    await play({
      runtime,
      requests,
      send: (change = {}, addressPolicy) =>
        new HttpSender(client, runtime, addressPolicy).send(
          { ...call, ...change },
          { signal, namespace: 'shop', idempotencyKey: 'run-1' },
        ),
    })
  })
}

describe('HttpSender', () => {
  it('sends an idempotency key, and header values from Secrets', () =>
    withReceiver(
      () => ok,
      async ({ send, requests }) => {
        const valueFrom = { secretKeyRef: { name: 'hook', key: 'token' } }
        await send({ headers: [{ name: 'Authorization', valueFrom }] })
        expect(requests[0]?.headers).toMatchObject({ 'idempotency-key': 'run-1', authorization: 'Bearer abcdefgh' })
      },
    ))

  it('does not send to an address that the policy refuses', () =>
    withReceiver(
      () => ok,
      async ({ send, requests }) => {
        const sent = send({}, ({ hostname }) => (hostname === 'receiver' ? 'is inside the cluster' : undefined))
        await expect(sent).rejects.toMatchObject({
          reason: 'AddressRefused',
          message: 'receiver: is inside the cluster',
        })
        expect(requests).toEqual([])
      },
    ))

  it('shows neither the path and query of the URL nor sent secrets that a response repeats', () =>
    withReceiver(
      () => ({
        ...{ status: 404, headers: {} },
        body: text('no T0AAAAAAA/xyzzyXYZZY for /services/T0AAAAAAA with s3cret-of-query, abcdefgh and key-of-header'),
      }),
      async ({ send }) => {
        const valueFrom = { secretKeyRef: { name: 'hook', key: 'token' } }
        const answer = await send({
          headers: [
            { name: 'Authorization', valueFrom },
            { name: 'X-Api-Key', value: 'key-of-header' },
          ],
        })
        expect(answer).toMatchObject({ status: 404, isExpected: false })
        expect(answer.text).not.toMatch(/T0AAAAAAA|xyzzy|s3cret|abcdefgh|key-of-header/)
      },
    ))

  it('does not read the body of an unexpected response for longer than 2 s', () =>
    withReceiver(
      ({ clock }) => ({
        ...{ status: 500, headers: {} },
        body: (async function* () {
          yield text('half of it')
          await clock.sleep(86_400_000)
        })(),
      }),
      async ({ send, runtime }) => {
        expect(await send({ maxAnswerBytes: 100 })).toEqual({ status: 500, isExpected: false, text: 'half of it' })
        expect(runtime.clock.monotonic()).toBeLessThan(3_000)
      },
    ))

  it('returns the body that is asked for, and refuses a longer one', () =>
    withReceiver(
      () => ({ ...ok, body: text('0123456789') }),
      async ({ send }) => {
        expect(await send({ maxAnswerBytes: 10 })).toEqual({ status: 200, isExpected: true, text: '0123456789' })
        expect(await send()).toMatchObject({ text: '' })
        await expect(send({ maxAnswerBytes: 9 })).rejects.toMatchObject({
          ...{ reason: 'UnexpectedAnswer', message: 'receiver: the answer is longer than 9 bytes' },
        })
      },
    ))

  it('fails with Timeout when the response is not complete in time', () =>
    withReceiver(
      ({ clock }) => ({
        ...ok,
        body: (async function* () {
          await clock.sleep(86_400_000)
          yield text('late')
        })(),
      }),
      async ({ send }) => {
        const sent = send({ timeoutMs: 5_000, maxAnswerBytes: 10 })
        await expect(sent).rejects.toMatchObject({ reason: 'Timeout', message: 'receiver: no answer within 5000 ms' })
      },
    ))

  it('fails with Timeout when the API server does not answer with the Secret in time', () => {
    const simulation = createSimulation(1)
    return simulation.run(async () => {
      const { runtime } = simulation
      const silent = handlerTransport(
        ({ signal }) =>
          new Promise((_, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
          ),
      )
      const sender = new HttpSender(createClient({ transport: silent, runtime }), runtime)
      const valueFrom = { secretKeyRef: { name: 'hook', key: 'token' } }
      const { signal } = new AbortController()
      const sent = sender.send(
        { ...call, timeoutMs: 5_000, headers: [{ name: 'Authorization', valueFrom }] },
        { signal, namespace: 'shop', idempotencyKey: 'run-1' },
      )
      await expect(sent).rejects.toMatchObject({ reason: 'Timeout' })
      expect(runtime.clock.monotonic()).toBe(5_000)
    })
  })

  it('does not follow a redirect', () =>
    withReceiver(
      () => ({ status: 307, headers: { location: 'http://elsewhere/' }, body: new Uint8Array() }),
      async ({ send, requests }) => {
        expect(await send()).toEqual({ status: 307, isExpected: false, text: '' })
        expect(requests).toHaveLength(1)
      },
    ))

  it('succeeds by the status alone, on a socket whose body never ends', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const runtime = createRealRuntime({ log: { write: () => undefined } })
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const { signal } = new AbortController()
      const sent = new HttpSender({} as KubeClient, runtime).send(
        { ...call, url },
        { signal, namespace: 'shop', idempotencyKey: 'run-1' },
      )
      expect(await sent).toEqual({ status: 200, isExpected: true, text: '' })
    } finally {
      await runtime.close()
      server.close()
    }
  })
})
