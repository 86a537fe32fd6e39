/** OpenAPI documents of what is served: version 3, one per group version, and version 2, one for all. */
import type { Json, JsonObject } from '../../../runtime/json.ts'
import { isJsonObject } from '../../../runtime/json.ts'
import type { Schema } from '../../../schema/schema.ts'
import type { ServedResource } from '../resource.ts'
import type { TypeModel } from '../types/model.ts'
import { PublishedSchemas, publishedName, reference } from './definitions.ts'
import { type Published, pathsOf } from './paths.ts'

const info: JsonObject = { title: 'Kubernetes', version: 'v1.35.0' }

export function documentV3(resources: readonly ServedResource[], model: TypeModel): JsonObject {
  const schemas = new PublishedSchemas(model)
  const paths: Record<string, Json> = {}
  for (const extra of ['DeleteOptions', 'Status', 'WatchEvent']) schemas.add(`meta.v1.${extra}`)
  schemas.put(publishedName('meta.v1.Patch'), { type: 'object' })
  for (const resource of resources) {
    const published = publish(resource, schemas, model)
    if (published === undefined) continue
    if (resource.subresources.some(({ name }) => name === 'scale')) {
      schemas.add('autoscaling.v1.Scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })
    }
    Object.assign(paths, pathsOf(published))
  }
  return {
    openapi: '3.0.0',
    info,
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  }
}

function publish(resource: ServedResource, schemas: PublishedSchemas, model: TypeModel): Published | undefined {
  const { group, version, kind, listKind } = resource
  const of = (name: string): JsonObject => ({ group, version, kind: name })
  const definition = model.kindDefinition(group, version, kind)
  if (definition !== undefined) {
    schemas.add(definition.name, of(kind))
    const list = model.kindDefinition(group, version, listKind)
    if (list !== undefined) schemas.add(list.name, of(listKind))
    const schema = publishedName(definition.name)
    return { resource, schema, list: list === undefined ? schema : publishedName(list.name) }
  }
  return publishCustom(resource, schemas, of)
}

/** Custom kinds are named after their group, read backwards. */
function publishCustom(
  resource: ServedResource,
  schemas: PublishedSchemas,
  of: (kind: string) => JsonObject,
): Published {
  const prefix = `${resource.group.split('.').toReversed().join('.')}.${resource.version}`
  const metadata = schemas.add('meta.v1.ObjectMeta')
  const listMetadata = schemas.add('meta.v1.ListMeta')
  const { properties = {}, ...rest } = resource.strategy.schema
  const schema = `${prefix}.${resource.kind}`
  schemas.put(schema, {
    ...(rest as JsonObject),
    type: 'object',
    properties: {
      ...(properties as Record<string, Schema & JsonObject>),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [metadata] },
    },
    'x-kubernetes-group-version-kind': [of(resource.kind)],
  })
  const list = `${prefix}.${resource.listKind}`
  schemas.put(list, {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      items: { type: 'array', items: reference(schema) },
      metadata: { allOf: [listMetadata] },
    },
    'x-kubernetes-group-version-kind': [of(resource.listKind)],
  })
  return { resource, schema, list }
}

/** The whole in the older form: definitions instead of components, parameters without schemas. */
export function documentV2(resources: readonly ServedResource[], model: TypeModel): JsonObject {
  const { paths, components } = documentV3(resources, model)
  const schemas = isJsonObject(components) ? (components['schemas'] ?? {}) : {}
  return {
    swagger: '2.0',
    info,
    paths: inV2(isJsonObject(paths) ? paths : {}),
    definitions: inV2(schemas),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  }
}

function inV2(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(inV2)
  if (!isJsonObject(value)) return value
  const { $ref, allOf, oneOf, in: where, schema, content, requestBody, ...rest } = value
  const result: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(rest)) result[key] = inV2(inner)
  if (typeof $ref === 'string') result['$ref'] = $ref.replace('#/components/schemas/', '#/definitions/')
  // A reference that carries more than itself stands in allOf; version 2 has it beside the rest.
  const [wrapped] = Array.isArray(allOf) ? (allOf as readonly Json[]) : []
  if (isJsonObject(wrapped) && typeof wrapped['$ref'] === 'string') Object.assign(result, inV2(wrapped))
  if (oneOf !== undefined && result['type'] === undefined) result['type'] = 'string'
  if (typeof where === 'string') {
    result['in'] = where
    if (isJsonObject(schema)) Object.assign(result, inV2(schema))
  } else if (schema !== undefined) result['schema'] = inV2(schema)
  if (isJsonObject(content)) Object.assign(result, inV2(Object.values(content)[0] ?? {}))
  if (isJsonObject(requestBody)) {
    const types = Object.keys(isJsonObject(requestBody['content']) ? requestBody['content'] : {})
    const parameters = Array.isArray(result['parameters']) ? (result['parameters'] as readonly Json[]) : []
    result['consumes'] = types
    result['parameters'] = [{ in: 'body', name: 'body', required: true, ...objectOf(inV2(requestBody)) }, ...parameters]
  }
  return result
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {}
}
