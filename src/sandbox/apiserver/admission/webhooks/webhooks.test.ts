import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../../../runtime/http.ts'
import type { Json, JsonObject } from '../../../../runtime/json.ts'
import { at } from '../../object.ts'
import { deploymentNamed, podNamed, type Reply, TestCluster } from '../../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const registration = '/apis/admissionregistration.k8s.io/v1'

interface ReviewReply {
  readonly allowed?: boolean
  readonly status?: JsonObject
  readonly warnings?: readonly string[]
  readonly patch?: readonly Json[]
}

/** A cluster with one webhook server that returns the given responses and records its requests. */
class WebhookCluster {
  readonly cluster = new TestCluster({ resolveService: ({ name }) => ({ origin: `http://${name}:443` }) })
  readonly asked: JsonObject[] = []

  static async serving(
    replies: Readonly<Record<string, (request: JsonObject) => ReviewReply | Promise<ReviewReply>>>,
  ): Promise<WebhookCluster> {
    const fixture = new WebhookCluster()
    const handler: HttpHandler = async ({ target, body }) => {
      const review = JSON.parse(new TextDecoder().decode(body)) as JsonObject
      const request = review['request'] as JsonObject
      fixture.asked.push(request)
      const reply = (await replies[target.split('?')[0]?.slice(1) ?? '']?.(request)) ?? {}
      const { patch, ...rest } = { allowed: true, ...reply }
      const patched = patch === undefined ? {} : { patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }
      const response = { uid: request['uid'], ...rest, ...patched }
      const document = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(document)) }
    }
    await fixture.cluster.run(() =>
      fixture.cluster.simulation.domain('hooks').runtime.http.listen({ host: 'hooks', port: 443 }, handler),
    )
    return fixture
  }

  async register(kind: 'Mutating' | 'Validating', name: string, more: JsonObject = {}): Promise<void> {
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: { service: { namespace: 'default', name: 'hooks', path: `/${name}` } },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      ...more,
    }
    const resource = `${kind.toLowerCase()}webhookconfigurations`
    const reply = await this.cluster.post(`${registration}/${resource}`, { metadata: { name }, webhooks: [webhook] })
    if (reply.status !== 201) throw new Error(reply.text)
  }

  create(name: string, more: JsonObject = {}): Promise<Reply> {
    return this.cluster.post(configMaps, { metadata: { name }, data: { from: 'client' }, ...more })
  }
}

describe('mutating webhooks', () => {
  it('change the stored object', async () => {
    const fixture = await WebhookCluster.serving({
      m: () => ({ patch: [{ op: 'add', path: '/data/added', value: 'yes' }] }),
    })
    await fixture.register('Mutating', 'm')
    expect((await fixture.create('a')).at('data')).toEqual({ from: 'client', added: 'yes' })
    expect(fixture.asked[0]).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin' },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    })
  })

  it('are called again when a later webhook changed the object', async () => {
    const fixture = await WebhookCluster.serving({
      a: ({ object }) =>
        at(object, 'data', 'b') === undefined ? {} : { patch: [{ op: 'add', path: '/data/seen', value: 'b' }] },
      b: ({ object }) =>
        at(object, 'data', 'b') === undefined ? { patch: [{ op: 'add', path: '/data/b', value: '1' }] } : {},
    })
    await fixture.register('Mutating', 'a', { reinvocationPolicy: 'IfNeeded' })
    await fixture.register('Mutating', 'b')
    expect((await fixture.create('x')).at('data')).toEqual({ from: 'client', b: '1', seen: 'b' })
    expect(fixture.asked).toHaveLength(3)
  })
})

describe('validating webhooks', () => {
  it('refuse a request with their message and code, and add warnings', async () => {
    const fixture = await WebhookCluster.serving({
      v: ({ name }) =>
        name === 'bad'
          ? { allowed: false, status: { code: 403, message: 'not today' } }
          : { warnings: ['two\nlines', '', 'careful', 'ü'] },
    })
    await fixture.register('Validating', 'v')
    const refused = await fixture.create('bad')
    expect([refused.status, refused.at('message')]).toEqual([
      403,
      'admission webhook "v.example.com" denied the request: not today',
    ])
    expect((await fixture.create('good')).headers['warning']).toBe('299 - "careful", 299 - "ü"')
  })

  it('receive the old object for updates and no new object for deletions', async () => {
    const fixture = await WebhookCluster.serving({})
    await fixture.create('a')
    await fixture.register('Validating', 'v')
    await fixture.cluster.patch(`${configMaps}/a`, { data: { from: 'patch' } })
    await fixture.cluster.call('DELETE', `${configMaps}/a`)
    expect(
      fixture.asked.map((request) => [
        request['operation'],
        at(request, 'object', 'data'),
        at(request, 'oldObject', 'data'),
      ]),
    ).toEqual([
      ['UPDATE', { from: 'patch' }, { from: 'client' }],
      ['DELETE', undefined, { from: 'patch' }],
    ])
  })
})

describe('webhooks for subresources', () => {
  it('receive and change the body of the subresource', async () => {
    const fixture = await WebhookCluster.serving({
      m: () => ({ patch: [{ op: 'replace', path: '/spec/replicas', value: 4 }] }),
    })
    const { cluster } = fixture
    const web = '/apis/apps/v1/namespaces/default/deployments/web'
    await cluster.post('/apis/apps/v1/namespaces/default/deployments', deploymentNamed('web'))
    await fixture.register('Mutating', 'm', {
      rules: [{ operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }],
    })
    expect((await cluster.patch(`${web}/scale`, { spec: { replicas: 7 } })).at('spec', 'replicas')).toBe(4)
    expect((await cluster.get(web)).at('spec', 'replicas')).toBe(4)
    expect(fixture.asked).toMatchObject([
      {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'scale',
        object: { kind: 'Scale', spec: { replicas: 7 } },
        oldObject: { kind: 'Scale', spec: { replicas: 2 } },
        options: { kind: 'UpdateOptions' },
      },
    ])
  })

  it('can refuse the eviction of a pod', async () => {
    const fixture = await WebhookCluster.serving({
      v: () => ({ allowed: false, status: { message: 'stay', code: 403 } }),
    })
    const { cluster } = fixture
    const pods = '/api/v1/namespaces/default/pods'
    await cluster.post(pods, podNamed('web', { nodeName: 'n1' }))
    await fixture.register('Validating', 'v', {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'] }],
    })
    const reply = await cluster.post(`${pods}/web/eviction`, { metadata: { name: 'web' } })
    expect(reply.at('message')).toBe('admission webhook "v.example.com" denied the request: stay')
    expect((await cluster.get(`${pods}/web`)).at('metadata', 'deletionTimestamp')).toBeUndefined()
    expect(fixture.asked[0]).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      subResource: 'eviction',
    })
  })
})

describe('webhook matching', () => {
  it('uses rules, selectors and match conditions', async () => {
    const fixture = await WebhookCluster.serving({ v: () => ({ allowed: false }) })
    await fixture.register('Validating', 'v', {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { guarded: 'yes' } },
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default'] }],
      },
      matchConditions: [{ name: 'not-exempt', expression: "!has(object.data) || object.data.from != 'exempt'" }],
    })
    const guarded = (name: string) => ({ metadata: { name, labels: { guarded: 'yes' } } })
    expect((await fixture.create('free')).status).toBe(201)
    expect((await fixture.create('exempt', { ...guarded('exempt'), data: { from: 'exempt' } })).status).toBe(201)
    expect((await fixture.cluster.post('/api/v1/namespaces/kube-system/configmaps', guarded('a'))).status).toBe(201)
    expect((await fixture.create('held', guarded('held'))).status).toBe(400)
  })

  it('refuses the request when a condition cannot be evaluated, unless failurePolicy is Ignore', async () => {
    const fixture = await WebhookCluster.serving({})
    const matchConditions = [{ name: 'broken', expression: "object.data.missing == 'x'" }]
    await fixture.register('Validating', 'v', { matchConditions })
    expect((await fixture.create('a')).status).toBe(403)
    await fixture.cluster.call('DELETE', `${registration}/validatingwebhookconfigurations/v`)
    await fixture.register('Validating', 'v', { matchConditions, failurePolicy: 'Ignore' })
    expect((await fixture.create('a')).status).toBe(201)
    expect(fixture.asked).toEqual([])
  })
})

describe('webhooks that fail', () => {
  it('refuse the request or are ignored, depending on failurePolicy', async () => {
    const fixture = await WebhookCluster.serving({})
    const clientConfig = { url: 'https://nowhere:1/x' }
    await fixture.register('Validating', 'v', { clientConfig })
    const refused = await fixture.create('a')
    expect(refused.status).toBe(500)
    expect(refused.at('message')).toContain(
      'failed calling webhook "v.example.com": failed to call webhook: Post "https://nowhere:1/x?timeout=10s"',
    )
    await fixture.cluster.patch(
      `${registration}/validatingwebhookconfigurations/v`,
      [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      'application/json-patch+json',
    )
    expect((await fixture.create('a')).status).toBe(201)
  })

  it('time out after timeoutSeconds', async () => {
    const fixture = await WebhookCluster.serving({ v: () => new Promise<ReviewReply>(() => {}) })
    await fixture.register('Validating', 'v', { timeoutSeconds: 3 })
    const began = fixture.cluster.simulation.clock.now()
    const reply = await fixture.create('a')
    expect(reply.at('message')).toContain('context deadline exceeded')
    expect(fixture.cluster.simulation.clock.now() - began).toBeGreaterThanOrEqual(3000)
    expect(fixture.cluster.simulation.clock.now() - began).toBeLessThan(4000)
  })
})
