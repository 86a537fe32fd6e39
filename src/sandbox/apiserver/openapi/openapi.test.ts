import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { fieldsOf } from '../protobuf/wire.ts'
import { Registry } from '../registry.ts'
import { StatusError } from '../status/status-error.ts'
import { builtinResources } from '../types/builtin.ts'
import { OpenApi } from './openapi.ts'

function served(): OpenApi {
  const registry = new Registry()
  for (const resource of builtinResources()) registry.add(resource)
  return new OpenApi(registry)
}

function get(openApi: OpenApi, path: string, headers: Record<string, string> = {}) {
  const response = openApi.respond({ method: 'GET', target: path, headers }, path)
  if (response === undefined) return undefined
  const bytes = response.body instanceof Uint8Array ? response.body : new Uint8Array()
  const text = new TextDecoder().decode(bytes)
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as JsonObject,
  }
}

/** References of a document without a target. */
function dangling(document: JsonObject, known: (name: string) => boolean): string[] {
  const found: string[] = []
  JSON.stringify(document, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string' && !known(value)) found.push(value)
    return value
  })
  return found
}

describe('OpenAPI version 3', () => {
  const openApi = served()

  it('lists a document for every group version', () => {
    const paths = get(openApi, '/openapi/v3')?.body['paths'] as Record<string, { serverRelativeURL: string }>
    expect(Object.keys(paths)).toContain('apis/apps/v1')
    expect(paths['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{16}$/)
  })

  it('contains every schema it refers to', () => {
    const paths = get(openApi, '/openapi/v3')?.body['paths'] as JsonObject
    for (const name of Object.keys(paths)) {
      const document = get(openApi, `/openapi/v3/${name}`)?.body ?? {}
      const { schemas } = document['components'] as { schemas: JsonObject }
      expect(
        dangling(document, (ref) => ref.replace('#/components/schemas/', '') in schemas),
        name,
      ).toEqual([])
    }
  })

  it('describes the parameters and schema of Deployments for kubectl', () => {
    const document = get(openApi, '/openapi/v3/apis/apps/v1')?.body as {
      paths: Record<string, { patch: { parameters: { name: string }[]; requestBody: { content: JsonObject } } }>
      components: { schemas: Record<string, JsonObject> }
    }
    const { patch } = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'] ?? {}
    expect(patch?.parameters.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force'])
    expect(Object.keys(patch?.requestBody.content ?? {})).toContain('application/strategic-merge-patch+json')
    const container = document.components.schemas['io.k8s.api.core.v1.Container']
    expect(container?.['properties']).toMatchObject({
      env: { type: 'array', 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-list-type': 'map' },
    })
  })

  it('responds 304 when the document is unchanged', () => {
    const first = get(openApi, '/openapi/v3/api/v1')
    const again = get(openApi, '/openapi/v3/api/v1', { 'if-none-match': first?.headers['etag'] ?? '' })
    expect(again?.status).toBe(304)
  })

  it('has no documents for unknown groups', () => {
    expect(get(openApi, '/openapi/v3/apis/nothing/v1')).toBeUndefined()
  })
})

describe('OpenAPI version 2', () => {
  it('contains every definition it refers to', () => {
    const document = get(served(), '/openapi/v2')?.body ?? {}
    const definitions = document['definitions'] as JsonObject
    expect(document['swagger']).toBe('2.0')
    expect(dangling(document, (ref) => ref.replace('#/definitions/', '') in definitions)).toEqual([])
    expect(JSON.stringify(document)).not.toContain('#/components/')
  })

  it('keeps fields whose names are schema keywords', () => {
    const { definitions = {} } = get(served(), '/openapi/v2')?.body ?? {}
    const props = (definitions as Record<string, JsonObject>)[
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'
    ]
    expect(props?.['properties']).toMatchObject({ $ref: { type: 'string' }, allOf: { type: 'array' }, not: {} })
  })

  it('serves the definitions as protobuf, the only format kubectl accepts', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
    const response = served().respond({ method: 'GET', target: '/openapi/v2', headers: { accept } }, '/openapi/v2')
    expect(response?.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
    const document = response?.body as Uint8Array
    const definitions = [...fieldsOf(inside(document, 9))].map(({ bytes }) => bytes)
    const spec = definitions.find((one) => textIn(one, 1) === 'io.k8s.api.apps.v1.DeploymentSpec') ?? document
    const schema = inside(spec, 2)
    expect([...fieldsOf(schema)].filter(({ number }) => number === 19).map(({ bytes }) => text(bytes))).toEqual([
      'selector',
      'template',
    ])
    const replicas = [...fieldsOf(inside(schema, 25))].find(({ bytes }) => textIn(bytes, 1) === 'replicas')
    expect(textIn(inside(inside(replicas?.bytes ?? schema, 2), 22), 1)).toBe('integer')
  })

  it('responds 406 for any other format', () => {
    expect(() => get(served(), '/openapi/v2', { accept: 'application/yaml' })).toThrow(StatusError)
  })
})

/** The first field with that number. */
function inside(message: Uint8Array, number: number): Uint8Array {
  return [...fieldsOf(message)].find((one) => one.number === number)?.bytes ?? new Uint8Array()
}

function textIn(message: Uint8Array, number: number): string {
  return text(inside(message, number))
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
