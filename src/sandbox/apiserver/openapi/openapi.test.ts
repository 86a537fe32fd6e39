import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
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
  const response = openApi.answer({ method: 'GET', target: path, headers }, path)
  if (response === undefined) return undefined
  const bytes = response.body instanceof Uint8Array ? response.body : new Uint8Array()
  const text = new TextDecoder().decode(bytes)
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as JsonObject,
  }
}

/** Every reference of a document must lead somewhere. */
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

  it('refers only to schemas it has', () => {
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

  it('tells kubectl what a deployment can take', () => {
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

  it('need not be sent twice', () => {
    const first = get(openApi, '/openapi/v3/api/v1')
    const again = get(openApi, '/openapi/v3/api/v1', { 'if-none-match': first?.headers['etag'] ?? '' })
    expect(again?.status).toBe(304)
  })

  it('knows no other documents', () => {
    expect(get(openApi, '/openapi/v3/apis/nothing/v1')).toBeUndefined()
  })
})

describe('OpenAPI version 2', () => {
  it('refers only to definitions it has', () => {
    const document = get(served(), '/openapi/v2')?.body ?? {}
    const definitions = document['definitions'] as JsonObject
    expect(document['swagger']).toBe('2.0')
    expect(dangling(document, (ref) => ref.replace('#/definitions/', '') in definitions)).toEqual([])
    expect(JSON.stringify(document)).not.toContain('#/components/')
  })

  it('is refused to clients that take only protobuf', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
    expect(() => get(served(), '/openapi/v2', { accept })).toThrow(StatusError)
  })
})
