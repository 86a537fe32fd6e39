import { describe, expect, it } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'
import { createMemoryMetrics } from '../../runtime/simulated/metrics.ts'
import { ApiError, isAlreadyExists, isConflict, isGone, isNotFound } from '../errors.ts'
import { resources } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'
import { handlerTransport } from '../transport/handler.ts'
import { createClient } from './create.ts'

const text = new TextEncoder()
const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent }
const clock = {
  now: () => 0,
  monotonic: () => 0,
  after: () => ({ cancel() {} }),
  sleep: () => Promise.resolve(),
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: text.encode(JSON.stringify(body)),
  }
}

/** A client whose server answers from a list, and the requests that server saw. */
function scripted(...answers: (HttpResponse | ((request: HttpRequest) => HttpResponse))[]) {
  const seen: HttpRequest[] = []
  const warnings: string[] = []
  const metrics = createMemoryMetrics()
  const client = createClient({
    transport: handlerTransport(
      async (request) => {
        seen.push(request)
        const answer = answers.shift()
        if (answer === undefined) throw new Error(`unexpected ${request.method} ${request.target}`)
        return typeof answer === 'function' ? answer(request) : answer
      },
      { authorization: 'Bearer abc' },
    ),
    runtime: { clock, log: silent, metrics },
    onWarning: (warning) => warnings.push(warning),
  })
  return { client, seen, warnings, metrics }
}

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } }
const lease: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'shop' },
}

describe('createClient', () => {
  it('sends every verb with its method, path, query and content type', async () => {
    const { client, seen } = scripted(...Array.from({ length: 13 }, () => json(pod)))
    const pods = client.of<KubeObject>(resources.pods)
    const leases = client.of(resources.leases)
    await pods.get('web', { namespace: 'shop' })
    await client.of(resources.nodes).get('n1', { subresource: 'status' })
    await pods.list({ labelSelector: 'a in (b,c)', limit: 5 })
    await pods.list({ namespace: 'shop', resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' })
    await leases.create(lease, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' })
    await pods.create(pod, { subresource: 'eviction' })
    await leases.update(lease, { subresource: 'status' })
    await pods.patch('web', { type: 'json', operations: [] }, { namespace: 'shop' })
    await pods.patch('web', { type: 'merge', value: {} }, { namespace: 'shop', subresource: 'status' })
    await pods.patch('web', { type: 'strategic', value: {} }, { namespace: 'shop' })
    await pods.apply(pod, { fieldManager: 'me', force: true })
    await pods.delete('web', { namespace: 'shop', propagationPolicy: 'Foreground', preconditions: { uid: 'u' } })
    await pods.deleteCollection({ namespace: 'shop', labelSelector: 'a=b', gracePeriodSeconds: 0, dryRun: true })
    const summary = seen.map(({ method, target, headers }) =>
      [method, target, headers['content-type'] ?? ''].join(' ').trim(),
    )
    expect(summary).toEqual([
      'GET /api/v1/namespaces/shop/pods/web',
      'GET /api/v1/nodes/n1/status',
      'GET /api/v1/pods?labelSelector=a%20in%20(b%2Cc)&limit=5',
      'GET /api/v1/namespaces/shop/pods?resourceVersion=7&resourceVersionMatch=NotOlderThan',
      'POST /apis/coordination.k8s.io/v1/namespaces/shop/leases?dryRun=All&fieldManager=me&fieldValidation=Strict application/json',
      'POST /api/v1/namespaces/shop/pods/web/eviction application/json',
      'PUT /apis/coordination.k8s.io/v1/namespaces/shop/leases/l/status application/json',
      'PATCH /api/v1/namespaces/shop/pods/web application/json-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web/status application/merge-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web application/strategic-merge-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web?fieldManager=me&force=true application/apply-patch+yaml',
      'DELETE /api/v1/namespaces/shop/pods/web application/json',
      'DELETE /api/v1/namespaces/shop/pods?labelSelector=a%3Db application/json',
    ])
    expect(seen.every(({ headers }) => headers['authorization'] === 'Bearer abc')).toBe(true)
    const bodies = seen.slice(-2).map(({ body }) => JSON.parse(new TextDecoder().decode(body)))
    expect(bodies).toEqual([
      { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground', preconditions: { uid: 'u' } },
      { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, dryRun: ['All'] },
    ])
  })

  it('rejects a namespaced object without a namespace before sending a request', async () => {
    const { client, seen } = scripted()
    const homeless: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }
    await expect(async () => client.of<KubeObject>(resources.pods).create(homeless)).rejects.toMatchObject({
      code: 'CRB_NAMESPACE_MISSING',
      message: 'Pod "web" has no namespace.',
    })
    expect(seen).toEqual([])
  })

  it('lists all pages with the selector, and the version on the first page only', async () => {
    const page = (name: string, token?: string) =>
      json({ apiVersion: 'v1', kind: 'PodList', metadata: { continue: token }, items: [{ metadata: { name } }] })
    const { client, seen } = scripted(page('a', 'one two'), page('b'))
    const names: string[] = []
    const pages = client.of<KubeObject>(resources.pods).pages({ labelSelector: 'x', resourceVersion: '3' })
    for await (const { items } of pages) names.push(...items.map((item) => item.metadata.name))
    expect(names).toEqual(['a', 'b'])
    expect(seen.map(({ target }) => target)).toEqual([
      '/api/v1/pods?labelSelector=x&limit=500&resourceVersion=3',
      '/api/v1/pods?labelSelector=x&limit=500&continue=one%20two',
    ])
  })

  it('rejects an error response with the whole Status', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'AlreadyExists',
      code: 409,
      message: 'pods "web" already exists',
      details: { name: 'web', kind: 'pods' },
    }
    const { client } = scripted(json(status, 409, { 'retry-after': '3' }))
    const error = await client
      .of<KubeObject>(resources.pods)
      .create(pod)
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      code: 'CRB_API_REFUSED',
      message: 'POST /api/v1/namespaces/shop/pods: pods "web" already exists',
      status,
      httpStatus: 409,
      retryAfterSeconds: 3,
    })
    expect([isAlreadyExists(error), isConflict(error), isNotFound(error), isGone(error)]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('builds a Status for an error response in HTML', async () => {
    const { client } = scripted({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: text.encode('<html><h1>Bad\n gateway</h1></html>'),
    })
    await expect(client.raw('GET', '/version')).rejects.toMatchObject({
      httpStatus: 502,
      status: { reason: 'Unknown', code: 502, message: 'HTTP 502: Bad gateway' },
    })
  })

  it.each([
    ['HTML', '<!doctype html><title>Log in</title>'],
    ['invalid UTF-8', new Uint8Array([123, 34, 0xff, 34, 58, 49, 125])],
    ['half an object', '{"kind":'],
  ])('rejects a response that is %s instead of JSON', async (_, body) => {
    const { client } = scripted({ status: 200, headers: {}, body: typeof body === 'string' ? text.encode(body) : body })
    await expect(client.of<KubeObject>(resources.pods).get('web', { namespace: 'shop' })).rejects.toMatchObject({
      code: 'CRB_API_ANSWER_MALFORMED',
      message: expect.stringMatching(/^GET \/api\/v1\/namespaces\/shop\/pods\/web: the response is not JSON/),
    })
  })

  it('passes warnings of the server to onWarning', async () => {
    const header = '299 - "v1beta1 is \\"old\\", use v1", 299 - "unknown field \\"spec.x\\"", 199 - "not ours"'
    const { client, warnings } = scripted(json(pod, 200, { warning: header }))
    await client.of<KubeObject>(resources.pods).get('web', { namespace: 'shop' })
    expect(warnings).toEqual(['v1beta1 is "old", use v1', 'unknown field "spec.x"'])
  })

  it('reads raw paths as JSON or as text by their content type', async () => {
    const { client } = scripted(json({ major: '1' }), {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: text.encode('ok'),
    })
    expect(await client.raw('GET', '/version')).toEqual({ major: '1' })
    expect(await client.raw('GET', '/healthz')).toBe('ok')
  })

  it('streams a log with its options', async () => {
    const { client, seen } = scripted({ status: 200, headers: {}, body: text.encode('line\n') })
    const chunks: string[] = []
    const log = client.logs({ namespace: 'shop', name: 'web' }, { container: 'c', follow: true, tailLines: 3 })
    for await (const chunk of log) chunks.push(new TextDecoder().decode(chunk))
    expect(chunks).toEqual(['line\n'])
    expect(seen[0]?.target).toBe('/api/v1/namespaces/shop/pods/web/log?container=c&follow=true&tailLines=3')
  })

  it('requests only the metadata when the caller reads nothing else, and omits managedFields unless they are requested', async () => {
    const managed = { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager: 'kubectl' }], uid: 'u' } }
    const { client, seen } = scripted(...Array.from({ length: 5 }, () => json(managed)))
    const pods = client.of<KubeObject>(resources.pods)
    const patch = { type: 'merge', value: {} } as const
    const answers = [
      await pods.create(pod, { answer: 'metadata' }),
      await pods.update(pod, { answer: 'metadata' }),
      await pods.patch('web', patch, { namespace: 'shop', answer: 'metadata' }),
      await pods.get('web', { namespace: 'shop', answer: 'managers' }),
      await pods.patch('web', patch, { namespace: 'shop' }),
    ]
    const brief = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
    expect(seen.map(({ headers }) => headers['accept'])).toEqual([brief, brief, brief, brief, 'application/json'])
    expect(answers.map(({ metadata }) => 'managedFields' in metadata)).toEqual([false, false, false, true, true])
    expect(answers[0]?.metadata.uid).toBe('u')
  })

  it('counts requests by response code, including those without a response', async () => {
    const refused = json({ kind: 'Status', code: 404, reason: 'NotFound' }, 404)
    const log = { status: 200, headers: {}, body: text.encode('line\n') }
    const { client, metrics } = scripted(json(pod), json(pod), refused, log)
    const pods = client.of<KubeObject>(resources.pods)
    await pods.get('web', { namespace: 'shop' })
    await pods.create(pod)
    await expect(pods.get('gone', { namespace: 'shop' })).rejects.toSatisfy(isNotFound)
    for await (const _ of client.logs({ namespace: 'shop', name: 'web' }));
    await expect(pods.delete('web', { namespace: 'shop' })).rejects.toThrow('unexpected')
    const shown = await metrics.render()
    for (const [method, code, count] of [
      ['GET', '200', 2],
      ['GET', '404', 1],
      ['POST', '200', 1],
      ['DELETE', 'none', 1],
    ])
      expect(shown).toMatch(
        new RegExp(
          `carabiner_client_requests_total{[^}]*"${code}"[^}]*"${method}"[^}]*} ${count}\n|carabiner_client_requests_total{method="${method}",code="${code}"} ${count}\n`,
        ),
      )
    expect(shown).toContain('carabiner_client_request_duration_seconds_count{method="GET"} 3')
  })
})
