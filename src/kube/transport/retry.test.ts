import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../../runtime/errors.ts'
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'
import { handlerTransport } from './handler.ts'
import { retrying } from './retry.ts'

type Step = number | { readonly status: number; readonly after: string } | 'broken'

/** A transport that answers by script; notes the waits between the attempts, in seconds. */
function scripted(...script: Step[]) {
  const waits: number[] = []
  let asked = 0
  const answer = async (): Promise<HttpResponse> => {
    asked += 1
    const step = script.shift() ?? 200
    if (step === 'broken') throw new CarabinerError('CRB_CONNECTION_BROKEN', 'reset')
    const [status, headers] = typeof step === 'number' ? [step, {}] : [step.status, { 'retry-after': step.after }]
    return { status, headers, body: new Uint8Array() }
  }
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: () => ({ cancel() {} }),
    sleep: async (wait: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      waits.push(wait / 1000)
    },
  }
  const random = { next: () => 0.5, bytes: (length: number) => new Uint8Array(length), uuid: () => '' }
  const transport = retrying(handlerTransport(answer), { clock, random })
  const send = async (method: string, more: Partial<HttpRequest> = {}) => {
    const { status } = await transport.send({ method, target: '/api', headers: {}, ...more })
    return { status, asked, waits }
  }
  return send
}

const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } }

describe('retrying', () => {
  it.each<[string, string, Step[], object]>([
    ['429 of any request', 'POST', [429, 429], { status: 200, asked: 3 }],
    ['429 with Retry-After of any request', 'PATCH', [{ status: 429, after: '2' }], { status: 200, asked: 2 }],
    ['503 with Retry-After of any request', 'POST', [{ status: 503, after: '1' }], { status: 200, asked: 2 }],
    ['500 of a read', 'GET', [500, 502, 503, 504], { status: 200, asked: 5 }],
    ['503 of an update', 'PUT', [503], { status: 200, asked: 2 }],
    ['a reset of a read', 'GET', ['broken', 'broken'], { status: 200, asked: 3 }],
    ['a reset of a delete', 'DELETE', ['broken'], { status: 200, asked: 2 }],
  ])('repeats %s', async (_, method, script, outcome) => {
    expect(await scripted(...script)(method)).toMatchObject(outcome)
  })

  it.each<[string, string, Step]>([
    ['500 of a write, which a webhook may have caused', 'PUT', 500],
    ['503 of a create', 'POST', 503],
    ['504 of a patch', 'PATCH', 504],
    ['404', 'GET', 404],
    ['409', 'PUT', 409],
    ['a wait longer than half a minute', 'GET', { status: 429, after: '31' }],
  ])('does not repeat %s', async (_, method, step) => {
    expect(await scripted(step)(method)).toMatchObject({ asked: 1, waits: [] })
  })

  it('does not retry a create or patch after a reset, but retries an apply', async () => {
    await expect(scripted('broken')('POST')).rejects.toMatchObject({ code: 'CRB_CONNECTION_BROKEN' })
    await expect(scripted('broken')('PATCH')).rejects.toMatchObject({ code: 'CRB_CONNECTION_BROKEN' })
    expect(await scripted('broken')('PATCH', apply)).toMatchObject({ status: 200, asked: 2 })
  })

  it('returns a refused eviction to the caller', async () => {
    const eviction = { target: '/api/v1/namespaces/a/pods/b/eviction' }
    expect(await scripted(429)('POST', eviction)).toMatchObject({ status: 429, asked: 1 })
  })

  it('retries with exponential back-off and jitter, and gives up after six attempts', async () => {
    const result = await scripted(503, 503, 503, 503, 503, 503, 503)('GET')
    expect(result).toEqual({ status: 503, asked: 6, waits: [0.05, 0.1, 0.2, 0.4, 0.8] })
  })

  it('waits for Retry-After plus jitter', async () => {
    expect(await scripted({ status: 429, after: '7' })('GET')).toMatchObject({ waits: [7.05] })
  })

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(scripted(503)('GET', { signal: stop.signal })).rejects.toThrow('enough')
  })
})
