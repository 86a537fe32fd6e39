import { describe, expect, it } from 'vitest'
import type { HttpPeer } from '../../../runtime/http.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import { hmacSha256, sha256 } from '../../../runtime/sha256.ts'
import { podNamed, TestCluster } from '../testing/cluster.ts'

const accounts = '/api/v1/namespaces/default/serviceaccounts'

/** The user the server assigns to a request from outside, or the status code when it refuses the request. */
async function whoami(cluster: TestCluster, headers: Record<string, string>, peer?: HttpPeer): Promise<unknown> {
  const response = await cluster.run(() =>
    cluster.server.handle({
      method: 'POST',
      target: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json', ...headers },
      body: new TextEncoder().encode('{}'),
      ...(peer === undefined ? {} : { peer }),
    }),
  )
  if (response.status !== 201) return response.status
  const body = JSON.parse(new TextDecoder().decode(response.body as Uint8Array)) as { status: { userInfo: JsonObject } }
  return body.status.userInfo
}

async function tokenFor(cluster: TestCluster, spec: JsonObject = {}): Promise<string> {
  return String((await cluster.post(`${accounts}/default/token`, { spec })).at('status', 'token'))
}

describe('authentication', () => {
  it('accepts the administrator token and refuses an unknown token', async () => {
    const cluster = new TestCluster()
    expect(await whoami(cluster, { authorization: `Bearer ${cluster.server.adminToken}` })).toEqual({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    expect(await whoami(cluster, { authorization: 'Bearer wrong' })).toBe(401)
    expect(await whoami(cluster, {})).toBe(403)
  })

  it('identifies users by their client certificates', async () => {
    const peer = { address: '127.0.0.1', certificate: { commonName: 'carol', organizations: ['ops'] } }
    expect(await whoami(new TestCluster(), {}, peer)).toEqual({
      username: 'carol',
      groups: ['ops', 'system:authenticated'],
    })
  })

  it('serves health and version to anonymous users', async () => {
    const cluster = new TestCluster()
    const status = async (target: string) =>
      (await cluster.run(() => cluster.server.handle({ method: 'GET', target, headers: {} }))).status
    expect(await status('/readyz')).toBe(200)
    expect(await status('/version')).toBe(200)
    expect(await status('/api/v1/pods')).toBe(403)
  })
})

describe('service account tokens', () => {
  it('name the account and its groups', async () => {
    const cluster = new TestCluster()
    const user = await whoami(cluster, { authorization: `Bearer ${await tokenFor(cluster)}` })
    expect(user).toMatchObject({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    })
  })

  it('expire after expirationSeconds', async () => {
    const cluster = new TestCluster()
    const token = await tokenFor(cluster, { expirationSeconds: 600 })
    await cluster.run(() => cluster.simulation.clock.sleep(599_000))
    expect(await whoami(cluster, { authorization: `Bearer ${token}` })).toMatchObject({})
    await cluster.run(() => cluster.simulation.clock.sleep(2000))
    expect(await whoami(cluster, { authorization: `Bearer ${token}` })).toBe(401)
  })

  it('become invalid when the object they are bound to is deleted', async () => {
    const cluster = new TestCluster()
    await cluster.post('/api/v1/namespaces/default/pods', podNamed('web'))
    const token = await tokenFor(cluster, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' } })
    expect(await whoami(cluster, { authorization: `Bearer ${token}` })).toMatchObject({
      extra: { 'authentication.kubernetes.io/pod-name': ['web'] },
    })
    await cluster.call('DELETE', '/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0')
    expect(await whoami(cluster, { authorization: `Bearer ${token}` })).toBe(401)
  })

  it('are refused when their payload was changed', async () => {
    const cluster = new TestCluster()
    const [header, , signature] = (await tokenFor(cluster)).split('.')
    const forged = btoa(JSON.stringify({ sub: 'system:serviceaccount:kube-system:default', exp: 9e9, nbf: 0 }))
    expect(await whoami(cluster, { authorization: `Bearer ${header}.${forged}.${signature}` })).toBe(401)
  })

  it('last at least ten minutes', async () => {
    const reply = await new TestCluster().post(`${accounts}/default/token`, { spec: { expirationSeconds: 10 } })
    expect(reply.at('message')).toBe(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    )
  })
})

describe('SHA-256', () => {
  const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

  it('matches the published test vectors', () => {
    expect(hex(sha256(bytes('')))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hex(sha256(bytes('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(hex(sha256(bytes('a'.repeat(1000))))).toBe(
      '41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3',
    )
    expect(hex(hmacSha256(bytes('Jefe'), bytes('what do ya want for nothing?')))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })
})
