/** OpenAPI version 3 documents: one per group version. */
import { isJsonObject, type Json, type JsonObject, objectOf } from '../../../runtime/index.ts'
import type { ServedResource } from '../resource.ts'
import type { TypeModel } from '../types/model.ts'
import { PublishedSchemas, publishedName, reference } from './definitions.ts'
import { type Published, pathsOf } from './paths.ts'

export const info: JsonObject = { title: 'Kubernetes', version: 'v1.35.0' }

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

/** Schemas of custom resources are named after their group in reverse order. */
function publishCustom(
  resource: ServedResource,
  schemas: PublishedSchemas,
  of: (kind: string) => JsonObject,
): Published {
  const prefix = `${resource.group.split('.').toReversed().join('.')}.${resource.version}`
  const metadata = schemas.add('meta.v1.ObjectMeta')
  const listMetadata = schemas.add('meta.v1.ListMeta')
  const typeMeta = { apiVersion: { type: 'string' }, kind: { type: 'string' } }
  const objectMeta = { ...typeMeta, metadata: { allOf: [metadata] } }
  const { properties, ...rest } = withEmbedded(resource.strategy.schema as JsonObject, objectMeta)
  const schema = `${prefix}.${resource.kind}`
  schemas.put(schema, {
    ...rest,
    type: 'object',
    properties: { ...objectOf(properties), ...objectMeta },
    'x-kubernetes-group-version-kind': [of(resource.kind)],
  })
  const list = `${prefix}.${resource.listKind}`
  schemas.put(list, {
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: { type: 'array', items: reference(schema) },
      metadata: { allOf: [listMetadata] },
    },
    'x-kubernetes-group-version-kind': [of(resource.listKind)],
  })
  return { resource, schema, list }
}

/** Embedded resources have apiVersion, kind and metadata. */
function withEmbedded(schema: JsonObject, objectMeta: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema
  const inner = (value: Json): Json => (isJsonObject(value) ? withEmbedded(value, objectMeta) : value)
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : []
  const own = Object.fromEntries(Object.entries(objectOf(properties)).map(([name, value]) => [name, inner(value)]))
  return {
    ...rest,
    ...(isEmbedded ? { required: [...new Set([...required, 'kind', 'apiVersion'])] } : {}),
    ...(properties === undefined && !isEmbedded ? {} : { properties: { ...own, ...(isEmbedded ? objectMeta : {}) } }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
  }
}
