import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../../../runtime/http.ts'
import type { Json, JsonObject } from '../../../../runtime/json.ts'
import { at } from '../../object.ts'
import { deploymentNamed, podNamed, type Reply, TestCluster } from '../../testing/cluster.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const registration = '/apis/admissionregistration.k8s.io/v1'

interface Answer {
  readonly allowed?: boolean
  readonly status?: JsonObject
  readonly warnings?: readonly string[]
  readonly patch?: readonly Json[]
}

/** A cluster with one webhook server that answers as told and remembers what it was asked. */
class Hooked {
  readonly cluster = new TestCluster({ resolveService: ({ name }) => ({ origin: `http://${name}:443` }) })
  readonly asked: JsonObject[] = []

  static async serving(
    answers: Readonly<Record<string, (request: JsonObject) => Answer | Promise<Answer>>>,
  ): Promise<Hooked> {
    const hooked = new Hooked()
    const handler: HttpHandler = async ({ target, body }) => {
      const review = JSON.parse(new TextDecoder().decode(body)) as JsonObject
      const request = review['request'] as JsonObject
      hooked.asked.push(request)
      const answer = (await answers[target.split('?')[0]?.slice(1) ?? '']?.(request)) ?? {}
      const { patch, ...rest } = { allowed: true, ...answer }
      const patched = patch === undefined ? {} : { patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }
      const response = { uid: request['uid'], ...rest, ...patched }
      const document = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(document)) }
    }
    await hooked.cluster.run(() =>
      hooked.cluster.simulation.domain('hooks').runtime.http.listen({ host: 'hooks', port: 443 }, handler),
    )
    return hooked
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
  it('change what is kept', async () => {
    const hooked = await Hooked.serving({ m: () => ({ patch: [{ op: 'add', path: '/data/added', value: 'yes' }] }) })
    await hooked.register('Mutating', 'm')
    expect((await hooked.create('a')).at('data')).toEqual({ from: 'client', added: 'yes' })
    expect(hooked.asked[0]).toMatchObject({
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

  it('are asked again when others changed the object after them', async () => {
    const hooked = await Hooked.serving({
      a: ({ object }) =>
        at(object, 'data', 'b') === undefined ? {} : { patch: [{ op: 'add', path: '/data/seen', value: 'b' }] },
      b: ({ object }) =>
        at(object, 'data', 'b') === undefined ? { patch: [{ op: 'add', path: '/data/b', value: '1' }] } : {},
    })
    await hooked.register('Mutating', 'a', { reinvocationPolicy: 'IfNeeded' })
    await hooked.register('Mutating', 'b')
    expect((await hooked.create('x')).at('data')).toEqual({ from: 'client', b: '1', seen: 'b' })
    expect(hooked.asked).toHaveLength(3)
  })
})

describe('validating webhooks', () => {
  it('refuse with their own words and code, and warn', async () => {
    const hooked = await Hooked.serving({
      v: ({ name }) =>
        name === 'bad'
          ? { allowed: false, status: { code: 403, message: 'not today' } }
          : { warnings: ['two\nlines', '', 'careful', 'ü'] },
    })
    await hooked.register('Validating', 'v')
    const refused = await hooked.create('bad')
    expect([refused.status, refused.at('message')]).toEqual([
      403,
      'admission webhook "v.example.com" denied the request: not today',
    ])
    expect((await hooked.create('good')).headers['warning']).toBe('299 - "careful", 299 - "ü"')
  })

  it('see updates with the old object and deletions without a new one', async () => {
    const hooked = await Hooked.serving({})
    await hooked.create('a')
    await hooked.register('Validating', 'v')
    await hooked.cluster.patch(`${configMaps}/a`, { data: { from: 'patch' } })
    await hooked.cluster.call('DELETE', `${configMaps}/a`)
    expect(
      hooked.asked.map((request) => [
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
  it('see and change what the subresource speaks', async () => {
    const hooked = await Hooked.serving({ m: () => ({ patch: [{ op: 'replace', path: '/spec/replicas', value: 4 }] }) })
    const { cluster } = hooked
    const web = '/apis/apps/v1/namespaces/default/deployments/web'
    await cluster.post('/apis/apps/v1/namespaces/default/deployments', deploymentNamed('web'))
    await hooked.register('Mutating', 'm', {
      rules: [{ operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }],
    })
    expect((await cluster.patch(`${web}/scale`, { spec: { replicas: 7 } })).at('spec', 'replicas')).toBe(4)
    expect((await cluster.get(web)).at('spec', 'replicas')).toBe(4)
    expect(hooked.asked).toMatchObject([
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

  it('may keep a pod where it is', async () => {
    const hooked = await Hooked.serving({ v: () => ({ allowed: false, status: { message: 'stay', code: 403 } }) })
    const { cluster } = hooked
    const pods = '/api/v1/namespaces/default/pods'
    await cluster.post(pods, podNamed('web', { nodeName: 'n1' }))
    await hooked.register('Validating', 'v', {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'] }],
    })
    const reply = await cluster.post(`${pods}/web/eviction`, { metadata: { name: 'web' } })
    expect(reply.at('message')).toBe('admission webhook "v.example.com" denied the request: stay')
    expect((await cluster.get(`${pods}/web`)).at('metadata', 'deletionTimestamp')).toBeUndefined()
    expect(hooked.asked[0]).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      subResource: 'eviction',
    })
  })
})

describe('which webhooks are asked', () => {
  it('follows rules, selectors and conditions', async () => {
    const hooked = await Hooked.serving({ v: () => ({ allowed: false }) })
    await hooked.register('Validating', 'v', {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { guarded: 'yes' } },
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default'] }],
      },
      matchConditions: [{ name: 'not-exempt', expression: "!has(object.data) || object.data.from != 'exempt'" }],
    })
    const guarded = (name: string) => ({ metadata: { name, labels: { guarded: 'yes' } } })
    expect((await hooked.create('free')).status).toBe(201)
    expect((await hooked.create('exempt', { ...guarded('exempt'), data: { from: 'exempt' } })).status).toBe(201)
    expect((await hooked.cluster.post('/api/v1/namespaces/kube-system/configmaps', guarded('a'))).status).toBe(201)
    expect((await hooked.create('held', guarded('held'))).status).toBe(400)
  })

  it('refuses when a condition cannot be evaluated, unless failures are ignored', async () => {
    const hooked = await Hooked.serving({})
    const matchConditions = [{ name: 'broken', expression: "object.data.missing == 'x'" }]
    await hooked.register('Validating', 'v', { matchConditions })
    expect((await hooked.create('a')).status).toBe(403)
    await hooked.cluster.call('DELETE', `${registration}/validatingwebhookconfigurations/v`)
    await hooked.register('Validating', 'v', { matchConditions, failurePolicy: 'Ignore' })
    expect((await hooked.create('a')).status).toBe(201)
    expect(hooked.asked).toEqual([])
  })
})

describe('webhooks that fail', () => {
  it('refuse the request or are ignored, as the policy says', async () => {
    const hooked = await Hooked.serving({})
    const clientConfig = { url: 'https://nowhere:1/x' }
    await hooked.register('Validating', 'v', { clientConfig })
    const refused = await hooked.create('a')
    expect(refused.status).toBe(500)
    expect(refused.at('message')).toContain(
      'failed calling webhook "v.example.com": failed to call webhook: Post "https://nowhere:1/x?timeout=10s"',
    )
    await hooked.cluster.patch(
      `${registration}/validatingwebhookconfigurations/v`,
      [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      'application/json-patch+json',
    )
    expect((await hooked.create('a')).status).toBe(201)
  })

  it('may take their time and no more', async () => {
    const hooked = await Hooked.serving({ v: () => new Promise<Answer>(() => {}) })
    await hooked.register('Validating', 'v', { timeoutSeconds: 3 })
    const began = hooked.cluster.simulation.clock.now()
    const reply = await hooked.create('a')
    expect(reply.at('message')).toContain('context deadline exceeded')
    expect(hooked.cluster.simulation.clock.now() - began).toBeGreaterThanOrEqual(3000)
    expect(hooked.cluster.simulation.clock.now() - began).toBeLessThan(4000)
  })
})
