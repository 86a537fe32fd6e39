/** Custom resources with two versions that a webhook converts, and with objects inside objects. */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAuthority } from '../../src/runtime/real/index.ts'
import { definitions, untilServed } from './definitions.ts'
import { onCluster } from './suite.ts'

const group = `c${process.pid}.example.com`

interface Box {
  readonly apiVersion: string
  readonly spec: { readonly size?: number | undefined; readonly width?: number | undefined; readonly inner?: object }
}

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Box[] }
}

/** The field `size` of v1 is `width` in v2. */
function convert(box: Box, apiVersion: string): Box {
  const { size, width, ...rest } = box.spec
  const amount = size ?? width
  return {
    ...box,
    apiVersion,
    spec: { ...rest, ...(apiVersion.endsWith('v1') ? { size: amount } : { width: amount }) },
  }
}

onCluster('conversion', (cluster) => {
  let server: Server
  let ns = ''
  const boxes = (version: string) => `/apis/${group}/${version}/namespaces/${ns}/boxes`

  beforeAll(async () => {
    const authority = createAuthority('conversion test authority')
    server = createServer(
      authority.issueServer({ commonName: 'conversion', names: ['127.0.0.1'] }),
      (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.once('end', () => {
          const { uid, desiredAPIVersion, objects } = (JSON.parse(Buffer.concat(chunks).toString()) as Review).request
          const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion))
          const answer = { uid, result: { status: 'Success' }, convertedObjects }
          response.setHeader('content-type', 'application/json')
          response.end(
            JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: answer }),
          )
        })
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const inner = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    }
    const version = (name: string, field: string, { storage }: { storage: boolean }) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' }, inner } } },
        },
      },
    })
    await cluster.create(definitions, {
      metadata: { name: `boxes.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'boxes', singular: 'box', kind: 'Box' },
        versions: [version('v1', 'size', { storage: true }), version('v2', 'width', { storage: false })],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url, caBundle: Buffer.from(authority.cert).toString('base64') },
          },
        },
      },
    })
    await untilServed(cluster, `boxes.${group}`)
    ns = await cluster.namespace()
  })
  afterAll(async () => {
    await cluster.call('DELETE', `${definitions}/boxes.${group}`)
    server.close()
  })

  it('responds in the requested version', async () => {
    const body = { apiVersion: `${group}/v2`, kind: 'Box', metadata: { name: 'a' }, spec: { width: 3 } }
    const created = await cluster.create(boxes('v2'), body)
    expect([created.apiVersion, created.spec]).toEqual([`${group}/v2`, { width: 3 }])
    expect((await cluster.call('GET', `${boxes('v1')}/a`)).body.spec).toEqual({ size: 3 })
    const list = await cluster.call('GET', boxes('v2'))
    expect(list.body.items.map(({ spec }) => spec)).toEqual([{ width: 3 }])
  })

  it('applies a patch in the version of its path', async () => {
    const body = { apiVersion: `${group}/v1`, kind: 'Box', metadata: { name: 'b' }, spec: { size: 1 } }
    await cluster.create(boxes('v1'), body)
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patched = await cluster.call('PATCH', `${boxes('v2')}/b`, { headers, body: { spec: { width: 5 } } })
    expect(patched.body.spec).toEqual({ width: 5 })
    expect((await cluster.call('GET', `${boxes('v1')}/b`)).body.spec).toEqual({ size: 5 })
  })

  it('requires complete objects in embedded resources', async () => {
    const inner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { any: 'thing' } }
    const body = (name: string, held: object) => ({
      apiVersion: `${group}/v1`,
      kind: 'Box',
      metadata: { name },
      spec: { size: 1, inner: held },
    })
    expect((await cluster.create(boxes('v1'), body('c', inner))).spec['inner']).toEqual(inner)
    const refused = await cluster.call('POST', boxes('v1'), { body: body('d', { data: {} }) })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toBe(
      `Box.${group} "d" is invalid: [spec.inner.apiVersion: Required value, spec.inner.kind: Required value]`,
    )
  })
})
