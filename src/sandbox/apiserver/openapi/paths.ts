/**
 * The paths of a resource with their operations. kubectl reads them to find supported features (dry run, field
 * validation, patch types) and the kind of a resource.
 */
import type { Json, JsonObject } from '../../../runtime/index.ts'
import type { ServedResource, Verb } from '../resource.ts'
import { reference } from './definitions.ts'

function parameter(name: string, type = 'string', where = 'query'): JsonObject {
  const required = where === 'path' ? { required: true } : {}
  return { name, in: where, ...required, schema: { type, uniqueItems: true } }
}

const writeParameters = [parameter('dryRun'), parameter('fieldManager'), parameter('fieldValidation')]
const patchParameters = [...writeParameters, parameter('force', 'boolean')]
const deleteParameters = [
  parameter('dryRun'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  parameter('orphanDependents', 'boolean'),
  parameter('propagationPolicy'),
]
const listParameters = [
  parameter('allowWatchBookmarks', 'boolean'),
  parameter('continue'),
  parameter('fieldSelector'),
  parameter('labelSelector'),
  parameter('limit', 'integer'),
  parameter('resourceVersion'),
  parameter('resourceVersionMatch'),
  parameter('sendInitialEvents', 'boolean'),
  parameter('timeoutSeconds', 'integer'),
  parameter('watch', 'boolean'),
]
const pretty = parameter('pretty')
const builtinPatches = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]
const customPatches = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']

export interface Published {
  readonly resource: ServedResource
  /** Schema names of an object and of its list. */
  readonly schema: string
  readonly list: string
}

function operation(
  action: string,
  { resource, schema }: Published,
  parameters: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  const { group, version, kind } = resource
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...more,
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: reference(schema) } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  }
}

function body(schema: string, types: readonly string[]): JsonObject {
  const content = Object.fromEntries(types.map((type) => [type, { schema: reference(schema) }]))
  return { requestBody: { content, required: true } }
}

const patchSchema = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'

function itemOperations(published: Published, verbs: readonly Verb[]): Record<string, Json> {
  const { schema, resource } = published
  const operations: Record<string, Json> = {}
  if (verbs.includes('get')) operations['get'] = operation('get', published, [])
  if (verbs.includes('update')) operations['put'] = operation('put', published, writeParameters, body(schema, ['*/*']))
  if (verbs.includes('patch')) {
    const types = resource.itemsNameKind === true ? customPatches : builtinPatches
    operations['patch'] = operation('patch', published, patchParameters, body(patchSchema, types))
  }
  if (verbs.includes('delete')) operations['delete'] = operation('delete', published, deleteParameters)
  return operations
}

function collectionOperations(published: Published): Record<string, Json> {
  const { verbs } = published.resource
  const operations: Record<string, Json> = {}
  if (verbs.includes('list'))
    operations['get'] = operation('list', { ...published, schema: published.list }, listParameters)
  if (verbs.includes('create')) {
    operations['post'] = operation('post', published, writeParameters, body(published.schema, ['*/*']))
  }
  if (verbs.includes('deletecollection')) {
    operations['delete'] = operation('deletecollection', published, [...deleteParameters, ...listParameters])
  }
  return operations
}

export function basePath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

export function pathsOf(published: Published): Record<string, Json> {
  const { resource } = published
  const base = basePath(resource.group, resource.version)
  const name = parameter('name', 'string', 'path')
  const namespace = parameter('namespace', 'string', 'path')
  const scope = resource.namespaced ? [namespace] : []
  const collection = `${base}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`
  const paths: Record<string, Json> = {}
  const add = (path: string, operations: Record<string, Json>, parameters: readonly JsonObject[]): void => {
    if (Object.keys(operations).length > 0) paths[path] = { ...operations, parameters: [...parameters, pretty] }
  }
  add(collection, collectionOperations(published), scope)
  add(`${collection}/{name}`, itemOperations(published, resource.verbs), [name, ...scope])
  if (resource.namespaced && resource.verbs.includes('list')) {
    const everywhere = operation('list', { ...published, schema: published.list }, listParameters)
    add(`${base}/${resource.resource}`, { get: everywhere }, [])
  }
  for (const subresource of resource.subresources) {
    if (subresource.name !== 'status' && subresource.name !== 'scale') continue
    const { group, version, kind } = subresource
    const schema = subresource.name === 'scale' ? 'io.k8s.api.autoscaling.v1.Scale' : published.schema
    const inner: Published = { ...published, schema, resource: { ...resource, group, version, kind } }
    add(`${collection}/{name}/${subresource.name}`, itemOperations(inner, subresource.verbs), [name, ...scope])
  }
  return paths
}
