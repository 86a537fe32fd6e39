import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../../runtime/http.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { ApiServer } from '../server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

const schema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1 },
        color: { type: 'string', default: 'red' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too big' }],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
}

function version(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    ...more,
  }
}

function definition(plural: string, names: JsonObject, versions: readonly JsonObject[] = [version('v1')]): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural, ...names }, versions },
  }
}

const widget = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
})

interface JsonReply {
  readonly code: number
  readonly body: JsonObject
}

function server(runtime: Runtime = createSimulation(1).runtime) {
  const api = new ApiServer(runtime)
  return async (method: string, target: string, body?: Json, type = 'application/json'): Promise<JsonReply> => {
    const request: HttpRequest = {
      method,
      target,
      headers: { authorization: `Bearer ${api.adminToken}`, 'content-type': type, accept: 'application/json' },
      ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
    }
    const response = await api.handle(request)
    const bytes = response.body instanceof Uint8Array ? response.body : new Uint8Array()
    // Paths of unknown groups get a plain text response.
    const isJson = response.headers['content-type']?.includes('json') === true
    return { code: response.status, body: isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as JsonObject) : {} }
  }
}

async function withWidgets() {
  const call = server()
  await call('POST', definitions, definition('widgets', { kind: 'Widget' }, [version('v1'), version('v2')]))
  return call
}

function conditions(body: JsonObject): string[] {
  const status = body['status'] as { conditions: { type: string; status: string; reason: string }[] }
  return status.conditions.map((one) => `${one.type}=${one.status} ${one.reason}`)
}

describe('definitions of custom resources', () => {
  it('are served immediately and report it in their conditions', async () => {
    const call = await withWidgets()
    expect((await call('GET', '/apis/example.com/v1')).body['resources']).toMatchObject([
      { name: 'widgets', kind: 'Widget', singularName: 'widget' },
      { name: 'widgets/status' },
    ])
    const { body } = await call('GET', `${definitions}/widgets.example.com`)
    expect(conditions(body)).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted'])
    expect(body['status']).toMatchObject({
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
    })
  })

  it('are not accepted while another definition holds their names', async () => {
    const call = await withWidgets()
    await call('POST', definitions, definition('gadgets', { kind: 'Widget', listKind: 'GadgetList' }))
    const { body } = await call('GET', `${definitions}/gadgets.example.com`)
    expect(conditions(body)).toEqual(['NamesAccepted=False KindConflict', 'Established=False NotAccepted'])
    expect((await call('GET', '/apis/example.com/v1/gadgets')).code).toBe(404)
    await call('DELETE', `${definitions}/widgets.example.com`)
    expect((await call('GET', '/apis/example.com/v1/gadgets')).code).toBe(200)
  })

  it('are refused when their schema is not structural', async () => {
    const call = server()
    const bad = version('v1', { schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } })
    const { code, body } = await call('POST', definitions, definition('widgets', { kind: 'Widget' }, [bad]))
    expect(code).toBe(422)
    expect(body['message']).toBe(
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    )
  })

  it('delete their objects first and wait for finalizers', async () => {
    const call = await withWidgets()
    await call('POST', widgets, widget('free', { size: 1 }))
    await call('POST', widgets, { ...widget('held', { size: 1 }), metadata: { name: 'held', finalizers: ['a.b/c'] } })
    await call('DELETE', `${definitions}/widgets.example.com`)
    const going = await call('GET', `${definitions}/widgets.example.com`)
    expect(conditions(going.body)).toContain('Terminating=True InstanceDeletionInProgress')
    expect((await call('GET', `${widgets}/free`)).code).toBe(404)
    expect((await call('POST', widgets, widget('late', { size: 1 }))).body['message']).toBe(
      'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    )
    await call('PATCH', `${widgets}/held`, { metadata: { finalizers: null } }, 'application/merge-patch+json')
    expect((await call('GET', `${definitions}/widgets.example.com`)).code).toBe(404)
    expect((await call('GET', widgets)).code).toBe(404)
  })
})

describe('custom resources', () => {
  it('are pruned and defaulted, except where the schema preserves unknown fields', async () => {
    const call = await withWidgets()
    const { body } = await call('POST', widgets, {
      ...widget('a', { size: 1, unknown: 2, color: null, free: { any: [null] } }),
      status: { ready: true },
    })
    expect(body['spec']).toEqual({ size: 1, color: 'red', free: { any: [null] } })
    expect(body['status']).toBeUndefined()
    expect(body['metadata']).toMatchObject({ generation: 1 })
  })

  it('are refused with the messages of schema validation and CEL rules', async () => {
    const call = await withWidgets()
    expect((await call('POST', widgets, widget('a', { size: 0 }))).body['message']).toBe(
      'Widget.example.com "a" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    )
    expect((await call('POST', widgets, widget('a', { size: 500 }))).body['message']).toContain('too big')
    expect(
      (await call('POST', `${widgets}?fieldValidation=Strict`, widget('a', { size: 1, unknown: 2 }))).body['message'],
    ).toBe('Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.unknown"')
  })

  it('change only the status through the status subresource', async () => {
    const call = await withWidgets()
    await call('POST', widgets, widget('a', { size: 1 }))
    const patch = { metadata: { labels: { x: 'y' } }, spec: { size: 9 }, status: { ready: true } }
    const { body } = await call('PATCH', `${widgets}/a/status`, patch, 'application/merge-patch+json')
    expect(body).toMatchObject({ spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } })
    expect((body['metadata'] as JsonObject)['labels']).toBeUndefined()
  })

  it('differ only in apiVersion between versions without a conversion webhook', async () => {
    const call = await withWidgets()
    await call('POST', widgets, widget('a', { size: 1 }))
    const { body } = await call('GET', '/apis/example.com/v2/namespaces/default/widgets/a')
    expect(body).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 1 } })
  })

  it('refuse strategic merge patches', async () => {
    const call = await withWidgets()
    await call('POST', widgets, widget('a', { size: 1 }))
    const response = await call('PATCH', `${widgets}/a`, {}, 'application/strategic-merge-patch+json')
    expect(response.code).toBe(415)
  })

  it('are published in OpenAPI for kubectl explain', async () => {
    const call = await withWidgets()
    const { body } = await call('GET', '/openapi/v3/apis/example.com/v1')
    const { schemas } = body['components'] as { schemas: Record<string, JsonObject> }
    expect(schemas['com.example.v1.Widget']).toMatchObject({
      properties: { spec: { properties: { size: { type: 'integer' } } } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    })
  })
})

describe('conversion by webhook', () => {
  const webhook = { clientConfig: { url: 'https://hooks.test/convert' }, conversionReviewVersions: ['v1'] }
  const convertible = definition('widgets', { kind: 'Widget' }, [version('v1'), version('v2')])
  const converted: JsonObject = {
    ...convertible,
    spec: { ...(convertible['spec'] as JsonObject), conversion: { strategy: 'Webhook', webhook } },
  }

  /** A runtime whose HTTP client reaches a single conversion webhook. */
  function runtimeWithWebhook(convert: (object: JsonObject, version: Json) => JsonObject): Runtime {
    const { runtime } = createSimulation(1)
    return {
      ...runtime,
      http: {
        ...runtime.http,
        request: async (_endpoint, { body }) => {
          const review = JSON.parse(new TextDecoder().decode(body)) as {
            request: { uid: string; desiredAPIVersion: string; objects: JsonObject[] }
          }
          const { uid, desiredAPIVersion, objects } = review.request
          const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion))
          const response = { response: { uid, result: { status: 'Success' }, convertedObjects } }
          return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(response)) }
        },
      },
    }
  }

  it('converts objects between versions', async () => {
    const call = server(
      runtimeWithWebhook((object, apiVersion) => {
        const spec = object['spec'] as { size: number; color: string }
        const color = apiVersion === 'example.com/v2' ? spec.color.toUpperCase() : spec.color.toLowerCase()
        return { ...object, apiVersion: apiVersion ?? '', spec: { ...spec, color } }
      }),
    )
    await call('POST', definitions, converted)
    await call('POST', widgets, widget('a', { size: 1, color: 'blue' }))
    const newer = '/apis/example.com/v2/namespaces/default/widgets'
    expect((await call('GET', `${newer}/a`)).body['spec']).toEqual({ size: 1, color: 'BLUE' })
    const { body } = await call('PATCH', `${newer}/a`, { spec: { color: 'GREEN' } }, 'application/merge-patch+json')
    expect(body).toMatchObject({ apiVersion: 'example.com/v2', spec: { color: 'GREEN' } })
    expect((await call('GET', `${widgets}/a`)).body['spec']).toEqual({ size: 1, color: 'green' })
    expect((await call('GET', newer)).body['items']).toMatchObject([{ spec: { color: 'GREEN' } }])
  })

  it('is refused when the webhook changes the identity of an object', async () => {
    const call = server(
      runtimeWithWebhook((object, apiVersion) => ({
        ...object,
        apiVersion: apiVersion ?? '',
        metadata: { name: 'other' },
      })),
    )
    await call('POST', definitions, converted)
    await call('POST', widgets, widget('a', { size: 1 }))
    const { code, body } = await call('GET', '/apis/example.com/v2/namespaces/default/widgets/a')
    expect(code).toBe(500)
    expect(body['message']).toContain('name and uid must not change')
  })
})
