import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../../runtime/http.ts'
import { reviewHandler } from './exchange.ts'

const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u1' } }

async function ask(clients: 'any' | 'certificate', request: Partial<HttpRequest>) {
  const handler = reviewHandler((path) => (path === '/hooks/a b' ? Promise.resolve({ allowed: true }) : undefined), {
    clients,
  })
  const body = new TextEncoder().encode(JSON.stringify(review))
  const answer = await handler({ method: 'POST', target: '/hooks/a%20b?timeout=10s', headers: {}, body, ...request })
  return [answer.status, JSON.parse(new TextDecoder().decode(answer.body as Uint8Array)) as unknown]
}

describe('reviewHandler', () => {
  it('[addons A15] answers with the kind and the uid of the request', async () => {
    expect(await ask('any', {})).toEqual([
      200,
      { ...review, request: undefined, response: { uid: 'u1', allowed: true } },
    ])
    expect(await ask('any', { target: '/hooks/b' })).toEqual([404, { message: 'no hook is registered at /hooks/b' }])
    expect((await ask('any', { method: 'GET' }))[0]).toBe(405)
    expect((await ask('any', { body: new TextEncoder().encode('{}') }))[0]).toBe(400)
  })

  it('[addons A13] requires a client certificate when client CAs are configured', async () => {
    const certificate = { commonName: 'apiserver', organizations: [] }
    expect((await ask('certificate', { peer: { address: '::1' } }))[0]).toBe(401)
    expect((await ask('certificate', { peer: { address: '::1', certificate } }))[0]).toBe(200)
  })

  it('[addons A15] answers /healthz without a client certificate', async () => {
    expect(await ask('certificate', { method: 'GET', target: '/healthz' })).toEqual([200, { status: 'ok' }])
  })
})
