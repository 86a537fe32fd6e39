/**
 * The schemas with which kubectl validates and merges lists. On the real control plane, every definition of the sandbox
 * is compared with the published one; on the sandbox, its two formats are compared.
 */
import { expect, it } from 'vitest'
import { OpenApi } from '../../src/sandbox/apiserver/openapi/openapi.ts'
import { Registry } from '../../src/sandbox/apiserver/registry.ts'
import { builtinResources } from '../../src/sandbox/apiserver/types/builtin.ts'
import { type Definitions, definitionsIn, protobufV2 } from './openapi-v2.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'

const kindOf = 'x-kubernetes-group-version-kind'
const meta = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

onCluster('OpenAPI version 2', (cluster) => {
  const published = async () => {
    const { status, headers, bytes } = await cluster.call('GET', '/openapi/v2', { headers: { accept: protobufV2 } })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
    return definitionsIn(bytes)
  }

  it('defines built-in kinds like the real API server', async () => {
    const there = await published()
    const here = sandboxDefinitions()
    const names = Object.keys(here)
    expect(names.length).toBeGreaterThan(400)
    const of = (definitions: Definitions) => Object.fromEntries(names.map((name) => [name, definitions[name]]))
    expect(comparable(of(here))).toEqual(comparable(of(there)))
  })

  it('defines custom resources so that kubectl accepts what the API server accepts', async () => {
    const group = `o${process.pid}.example.com`
    const prefix = `com.example.o${process.pid}.v1`
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await cluster.create(crds, definitionOf(group, 'Oddity', oddity))
    await cluster.create(crds, definitionOf(group, 'Blob', blob))
    // Schemas of new kinds are published with a delay.
    const found = await pollUntil(
      'the schemas of new kinds',
      published,
      (definitions) => `${prefix}.Blob` in definitions && `${prefix}.Oddity` in definitions,
    )
    for (const plural of ['oddities', 'blobs']) await cluster.call('DELETE', `${crds}/${plural}.${group}`)
    const kind = (name: string) => [{ group, version: 'v1', kind: name }]
    expect(found[`${prefix}.Blob`]).toEqual({ type: 'object', [kindOf]: kind('Blob') })
    expect(found[`${prefix}.Oddity`]).toEqual({ ...oddityPublished, [kindOf]: kind('Oddity') })
  })
})

function sandboxDefinitions(): Definitions {
  const registry = new Registry()
  for (const resource of builtinResources()) registry.add(resource)
  const response = new OpenApi(registry).respond({ method: 'GET', target: '/openapi/v2', headers: {} }, '/openapi/v2')
  const { definitions } = JSON.parse(new TextDecoder().decode(response?.body as Uint8Array)) as {
    definitions: Definitions
  }
  return definitions
}

/** Removes enums, which this format omits, and redundant keywords. */
function comparable(definitions: Readonly<Record<string, unknown>>): unknown {
  const own = structuredClone(definitions) as Record<string, Record<string, unknown>>
  // Options and reviews belong to every group, and clients do not look up their kinds.
  for (const name of ['DeleteOptions', 'Status', 'WatchEvent']) {
    delete own[`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`]?.[kindOf]
  }
  return JSON.parse(
    JSON.stringify(own, (key, value: unknown) => {
      if (key === 'enum' && Array.isArray(value)) return undefined
      return key === 'x-kubernetes-map-type' && value === 'granular' ? undefined : value
    }),
  )
}

function definitionOf(group: string, kind: string, openAPIV3Schema: object) {
  const plural = kind === 'Blob' ? 'blobs' : 'oddities'
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

const string = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true }
const byKey = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
const keyed = { type: 'object', required: ['k'], properties: { k: string } }
const blob = { ...open, properties: { a: string } }

const oddity = {
  type: 'object',
  required: ['a', 'b', 'spec'],
  properties: {
    a: { type: 'string', nullable: true, default: 'x' },
    b: { type: 'integer', default: 3 },
    spec: {
      type: 'object',
      required: ['texts', 'kept'],
      not: { required: ['q'] },
      properties: {
        texts: { type: 'object', additionalProperties: { ...string, nullable: true } },
        kept: { ...open, properties: { z: string }, required: ['z'] },
        keptList: { ...open, type: 'array', items: open },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, string] },
        anyObject: { ...open, ...embedded },
        object: { ...embedded, properties: { spec: { type: 'object', properties: { q: string } } } },
        byKey: { ...byKey, items: keyed },
        time: { type: 'string', format: 'date-time', maxLength: 3 },
      },
    },
  },
}

const oddityPublished = {
  type: 'object',
  required: ['b', 'spec'],
  properties: {
    apiVersion: string,
    kind: string,
    metadata: { $ref: meta },
    a: {},
    b: { type: 'integer' },
    spec: {
      type: 'object',
      required: ['texts', 'kept'],
      properties: {
        texts: { type: 'object', additionalProperties: {} },
        kept: { 'x-kubernetes-preserve-unknown-fields': true, required: ['z'] },
        keptList: { 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        anyObject: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
        object: {
          ...embedded,
          required: ['kind', 'apiVersion'],
          properties: {
            apiVersion: string,
            kind: string,
            metadata: { $ref: meta },
            spec: { type: 'object', properties: { q: string } },
          },
        },
        byKey: { ...byKey, items: keyed },
        time: { type: 'string', format: 'date-time' },
      },
    },
  },
}
