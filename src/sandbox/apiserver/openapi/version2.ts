/**
 * The OpenAPI version 2 document for all resources: definitions instead of components, parameters without schemas, and
 * only the schema keywords of version 2. kubectl validates lists it expands itself against it.
 */
import { isJsonObject, type Json, type JsonObject, objectOf } from '../../../runtime/index.ts'
import type { ServedResource } from '../resource.ts'
import type { TypeModel } from '../types/model.ts'
import { documentV3, info } from './documents.ts'

export function documentV2(resources: readonly ServedResource[], model: TypeModel): JsonObject {
  const { paths, components } = documentV3(resources, model)
  return {
    swagger: '2.0',
    info,
    paths: inV2(objectOf(paths)),
    definitions: schemasInV2(objectOf(objectOf(components)['schemas'])),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  }
}

function schemasInV2(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaInV2(schema)]))
}

/**
 * Nullable fields and fields that preserve unknown fields are published without type and properties, because kubectl
 * would refuse valid values. Defaults are not published.
 */
function schemaInV2(schema: Json): JsonObject {
  const { $ref, allOf, oneOf, anyOf: _, not: __, default: ___, nullable, type, ...others } = objectOf(schema)
  const { properties, items, additionalProperties, required, ...rest } = others
  // A reference with more fields is wrapped in allOf in version 3; version 2 has `$ref` next to them.
  const [wrapped] = Array.isArray(allOf) ? (allOf as readonly Json[]) : []
  const to = $ref ?? (isJsonObject(wrapped) ? wrapped['$ref'] : undefined)
  if (typeof to === 'string') return { ...rest, $ref: to.replace('#/components/schemas/', '#/definitions/') }
  const mayHoldMore = rest['x-kubernetes-preserve-unknown-fields'] === true
  const kind = rest['x-kubernetes-group-version-kind']
  if (mayHoldMore && kind !== undefined) return { type: 'object', 'x-kubernetes-group-version-kind': kind }
  const isOpen = nullable === true || mayHoldMore
  const own = isOpen ? undefined : properties
  const isUntyped = nullable === true || (type === 'array' && items === undefined) || (isOpen && type !== 'string')
  const typed = type ?? (oneOf === undefined ? undefined : 'string')
  const isOpenObject = isOpen && rest['x-kubernetes-embedded-resource'] === true
  return {
    ...rest,
    ...(typed === undefined || isUntyped ? {} : { type: typed }),
    ...(Array.isArray(required) && !isOpenObject ? { required: required.filter((name) => !mayBeNull(own, name)) } : {}),
    ...(isJsonObject(own) ? { properties: schemasInV2(own) } : {}),
    ...(items === undefined || isOpen ? {} : { items: schemaInV2(items) }),
    ...(isJsonObject(additionalProperties) ? { additionalProperties: schemaInV2(additionalProperties) } : {}),
  }
}

function mayBeNull(properties: Json | undefined, name: unknown): boolean {
  return objectOf(objectOf(properties)[String(name)])['nullable'] === true
}

/** Converts paths and their content. */
function inV2(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(inV2)
  if (!isJsonObject(value)) return value
  const { in: where, schema, content, requestBody, ...rest } = value
  const result: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(rest)) result[key] = inV2(inner)
  if (typeof where === 'string') Object.assign(result, { in: where }, schemaInV2(schema ?? {}))
  else if (schema !== undefined) result['schema'] = schemaInV2(schema)
  if (isJsonObject(content)) Object.assign(result, inV2(Object.values(content)[0] ?? {}))
  if (isJsonObject(requestBody)) {
    const types = Object.keys(objectOf(requestBody['content']))
    const parameters = Array.isArray(result['parameters']) ? (result['parameters'] as readonly Json[]) : []
    result['consumes'] = types
    result['parameters'] = [{ in: 'body', name: 'body', required: true, ...objectOf(inV2(requestBody)) }, ...parameters]
  }
  return result
}
