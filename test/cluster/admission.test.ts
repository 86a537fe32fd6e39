/** Admission webhooks: they mutate, refuse and warn, and only for matching requests. */
import { createServer, type Server } from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAuthority } from '../../src/runtime/real/index.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'
import type { Answer, Thing } from './target.ts'

interface Review {
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly object: Thing
    readonly oldObject: Thing | null
    readonly userInfo: { readonly username: string }
    readonly dryRun: boolean
  }
}

const registrations = '/apis/admissionregistration.k8s.io/v1'

onCluster('admission', (cluster) => {
  const authority = createAuthority('admission test')
  const reviews: Review['request'][] = []
  let server: Server
  let origin = ''

  beforeAll(async () => {
    const { cert, key } = authority.issueServer({ commonName: 'webhook', names: ['127.0.0.1'] })
    server = createServer({ cert, key }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        const { request: review } = JSON.parse(Buffer.concat(chunks).toString()) as Review
        reviews.push(review)
        const answer = { uid: review.uid, ...decide(request.url?.split('?')[0], review) }
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    origin = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  afterAll(() => void server.close())

  function decide(path: string | undefined, review: Review['request']): object {
    if (path === '/refuse') return { allowed: false, status: { code: 418, message: 'not today' } }
    if (path === '/warn') return { allowed: true, warnings: ['two\nlines', 'mind the gap', 'Vorsicht, Lücke: 注意'] }
    const patch = review.object.metadata.labels
      ? [{ op: 'add', path: '/metadata/labels/seen', value: review.operation }]
      : [{ op: 'add', path: '/metadata/labels', value: { seen: review.operation } }]
    return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
  }

  /** Registers a webhook for ConfigMaps of one namespace and returns a function that removes it. */
  async function register(
    kind: 'mutating' | 'validating',
    ns: string,
    path: string,
    more: object = {},
  ): Promise<() => Promise<unknown>> {
    const collection = `${registrations}/${kind}webhookconfigurations`
    const name = `${kind}-${ns}`
    await cluster.create(collection, {
      metadata: { name },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url: `${origin}${path}`, caBundle: Buffer.from(authority.cert).toString('base64') },
          rules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
            },
          ],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...more,
        },
      ],
    })
    return () => cluster.call('DELETE', `${collection}/${name}`)
  }

  /** The API server observes a registration with a delay; waits for the first write that shows the effect. */
  const inEffect = (ns: string, shows: (answer: Answer) => boolean) =>
    pollUntil(
      'the effect of the webhook',
      (turn) => {
        const body = { metadata: { name: `probe-${turn}`, labels: { probe: 'yes' } } }
        return cluster.call('POST', `/api/v1/namespaces/${ns}/configmaps`, { body })
      },
      shows,
    )

  it('stores the changes of a mutating webhook', async () => {
    const ns = await cluster.namespace()
    const remove = await register('mutating', ns, '/mutate')
    await inEffect(ns, ({ body }) => body.metadata.labels?.['seen'] === 'CREATE')
    const created = await cluster.create(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'a' } })
    expect(created.metadata.labels).toEqual({ seen: 'CREATE' })
    const updated = await cluster.call('PUT', `/api/v1/namespaces/${ns}/configmaps/a`, {
      body: { ...created, data: { k: 'v' } },
    })
    expect(updated.body.metadata.labels).toEqual({ seen: 'UPDATE' })
    const own = reviews.filter(({ object }) => object.metadata.name === 'a' && object.metadata.namespace === ns)
    expect(own.at(-1)).toMatchObject({ operation: 'UPDATE', oldObject: { metadata: { name: 'a' } }, dryRun: false })
    await remove()
  })

  it('refuses with the message of a validating webhook', async () => {
    const ns = await cluster.namespace()
    const remove = await register('validating', ns, '/refuse')
    const refused = await inEffect(ns, ({ status }) => status !== 201)
    expect(refused.status).toBe(418)
    expect(refused.body.message).toBe('admission webhook "hook.example.com" denied the request: not today')
    await remove()
  })

  it('passes on warnings', async () => {
    const ns = await cluster.namespace()
    const remove = await register('validating', ns, '/warn')
    const warned = await inEffect(ns, ({ headers }) => headers['warning'] !== undefined)
    // Node.js returns one character per byte.
    const warning = Buffer.from(warned.headers['warning'] ?? '', 'latin1').toString()
    expect(warning).toBe('299 - "mind the gap", 299 - "Vorsicht, Lücke: 注意"')
    await remove()
  })

  it('calls webhooks only if match conditions and selectors match', async () => {
    const ns = await cluster.namespace()
    const remove = await register('validating', ns, '/refuse', {
      matchConditions: [
        { name: 'guarded', expression: "has(object.metadata.labels) && object.metadata.labels['probe'] == 'yes'" },
      ],
      objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
    })
    await inEffect(ns, ({ status }) => status === 418)
    const path = `/api/v1/namespaces/${ns}/configmaps`
    expect((await cluster.call('POST', path, { body: { metadata: { name: 'unguarded' } } })).status).toBe(201)
    const free = { metadata: { name: 'free', labels: { probe: 'yes', free: '1' } } }
    expect((await cluster.call('POST', path, { body: free })).status).toBe(201)
    await remove()
  })

  it('applies failurePolicy when the webhook cannot be reached', async () => {
    const ns = await cluster.namespace()
    const unreachable = { clientConfig: { url: 'https://127.0.0.1:1/none' } }
    const remove = await register('validating', ns, '/', { ...unreachable, failurePolicy: 'Fail' })
    const failed = await inEffect(ns, ({ status }) => status !== 201)
    expect(failed.status).toBe(500)
    expect(failed.body.message).toContain('Internal error occurred: failed calling webhook "hook.example.com"')
    await remove()
    const other = await cluster.namespace()
    const removeOther = await register('validating', other, '/', { ...unreachable, failurePolicy: 'Ignore' })
    expect(
      (await cluster.call('POST', `/api/v1/namespaces/${other}/configmaps`, { body: { metadata: { name: 'a' } } }))
        .status,
    ).toBe(201)
    await removeOther()
  })
})
