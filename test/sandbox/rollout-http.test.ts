/** HTTP hooks, with a listener in the same virtual time. */
import { describe, expect, it } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import type { HttpAction, LifecycleHook } from '../../src/rollouts/policy/types.ts'
import type { HttpRequest, HttpResponse } from '../../src/runtime/http.ts'
import { at, isOver, play, type Stage } from './rollouts.ts'

const url = 'http://127.0.0.1:8099/notify?from=here'

/** Responds with the given codes in order; the last one repeats. `undefined` never responds. */
async function listen({ runtime }: Stage, ...codes: readonly (number | undefined)[]) {
  const calls: HttpRequest[] = []
  const listener = await runtime.http.listen({ host: '127.0.0.1', port: 8099 }, async (request) => {
    calls.push(request)
    const status = codes[Math.min(calls.length, codes.length) - 1]
    if (status === undefined) await runtime.clock.sleep(86_400_000, request.signal)
    const said = status === 500 ? `out of order,\n  ${request.headers['authorization']?.split(' ').at(-1)}` : ''
    return { status: status ?? 200, headers: {}, body: new TextEncoder().encode(said) } satisfies HttpResponse
  })
  return { calls, close: () => listener.close() }
}

async function called(stage: Stage, http: Omit<HttpAction, 'url'>, more: Partial<LifecycleHook> = {}) {
  await stage.running('Deployment', 2)
  await stage.policy({ lifecycleHooks: [{ name: 'tell', trigger: at(0), http: { url, ...http }, ...more }] })
  await stage.roll(2)
}

const bodyOf = ({ body }: HttpRequest) => new TextDecoder().decode(body)

/** Stores the token in a Secret and returns its reference. */
async function keep(stage: Stage, token: string) {
  await stage.client.of(resources.secrets).create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hook', namespace: 'default' },
    data: { token: btoa(token) },
  } as KubeObject)
  return { name: 'hook', key: 'token' }
}

describe('a call', () => {
  it('sends the data of the rollout with headers from Secrets', () =>
    play(50, async (stage) => {
      const { calls, close } = await listen(stage, 204)
      const secretKeyRef = await keep(stage, 'Bearer abc\n')
      await called(stage, {
        headers: [
          { name: 'Authorization', valueFrom: { secretKeyRef } },
          { name: 'X-A', value: 'b' },
        ],
      })
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ state: 'Succeeded', attempts: 1 }] })
      expect(calls).toMatchObject([
        { method: 'POST', target: '/notify?from=here', headers: { authorization: 'Bearer abc', 'x-a': 'b' } },
      ])
      const { id, from, to } = status?.rollout ?? {}
      expect(JSON.parse(calls.map(bodyOf).join(''))).toEqual({
        ...{ policy: 'web', namespace: 'default', workload: { kind: 'Deployment', name: 'web' } },
        ...{ rollout: id, type: 'ROLLOUT', from, to, hook: 'tell', point: '0', attempt: 1 },
      })
      expect(JSON.stringify(status)).not.toContain('abc')
      await close()
    }))

  it('sends the configured body and accepts the configured codes', () =>
    play(51, async (stage) => {
      const { calls, close } = await listen(stage, 409)
      await called(stage, {
        method: 'PUT',
        body: '{"text":"$(workload.name): $(type) at $(point)"}',
        expect: { codes: [409] },
      })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
      expect(calls.map((call) => [call.method, bodyOf(call)])).toEqual([['PUT', '{"text":"web: ROLLOUT at 0"}']])
      await close()
    }))

  it('is retried with another idempotency key until it succeeds', () =>
    play(52, async (stage) => {
      const { calls, close } = await listen(stage, 500, 500, 200)
      await called(stage, {}, { failurePolicy: 'Retry' })
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.message !== undefined)
      expect(await stage.versions()).toEqual({ v1: 2 })
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ state: 'Succeeded', attempts: 3 }] })
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(3)
      await close()
    }))

  it.each([
    ['one-two-three', ' [redacted]'],
    ['Bearer one-two-three', ' [redacted]'],
    ['Bearer or', ' or'],
    ['', ''],
  ])('reports the response body of a failure without the secret: %j', (token, end) =>
    play(56, async (stage) => {
      const { close } = await listen(stage, 500)
      const secretKeyRef = await keep(stage, token)
      await called(stage, { headers: [{ name: 'Authorization', valueFrom: { secretKeyRef } }] })
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout?.hooks[0]?.message).toBe(
        `UnexpectedAnswer: 127.0.0.1:8099 answered 500: out of order,${end}`,
      )
      await close()
    }),
  )

  it('fails immediately with an error response that never ends', () =>
    play(57, async (stage) => {
      const { clock, http } = stage.runtime
      async function* body() {
        yield new TextEncoder().encode('half of it')
        await clock.sleep(86_400_000)
      }
      const endpoint = { host: '127.0.0.1', port: 8099 }
      const listener = await http.listen(endpoint, async () => ({ status: 503, headers: {}, body: body() }))
      await called(stage, {})
      const [hook] = (await stage.untilPolicy(isOver)).status?.rollout?.hooks ?? []
      expect(hook?.message).toBe('UnexpectedAnswer: 127.0.0.1:8099 answered 503: half of it')
      await listener.close()
    }))

  it.each([
    ['30 s', {}],
    ['5 s', { timeoutSeconds: 5 }],
  ])('without a response fails after %s', (time, timeouts) =>
    play(53, async (stage) => {
      const { calls, close } = await listen(stage, undefined)
      await called(stage, {}, timeouts)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({
        phase: 'Aborted',
        hooks: [{ state: 'Failed', message: `Timeout: it took longer than ${time}` }],
      })
      await stage.runtime.clock.sleep(1)
      expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true])
      await close()
    }),
  )

  it('fails when the connection is refused or a Secret is missing', () =>
    play(54, async (stage) => {
      const secretKeyRef = { name: 'none', key: 'token' }
      await called(stage, { headers: [{ name: 'Authorization', valueFrom: { secretKeyRef } }] })
      const first = (await stage.untilPolicy(isOver)).status?.rollout
      expect(first?.hooks[0]?.message).toMatch(/^CallFailed: .*secrets "none" not found/)
      await stage.changePolicy({ lifecycleHooks: [{ name: 'tell', trigger: at(0), http: { url } }] })
      await stage.roll(3)
      const second = await stage.untilPolicy((policy) => isOver(policy) && policy.status?.rollout?.id !== first?.id)
      expect(second.status?.rollout?.hooks[0]?.message).toMatch(/^CallFailed: /)
    }))

  it('is repeated by the next engine when the previous one crashed before the response', () =>
    play(55, async (stage) => {
      const { calls, close } = await listen(stage, undefined, 200)
      await called(stage, {})
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.state === 'Running')
      await stage.runtime.clock.sleep(1000)
      expect(calls).toHaveLength(1)
      await stage.restart()
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ state: 'Succeeded', attempts: 1 }] })
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      await close()
    }))
})
