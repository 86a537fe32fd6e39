/** One resource request, and the server parts its handlers use. */
import type { HttpRequest, Runtime } from '../../../runtime/index.ts'
import type { Admission } from '../admission/admission.ts'
import type { User } from '../authn/user.ts'
import type { ApiObject } from '../object.ts'
import type { Registry } from '../registry.ts'
import type { FieldManagement, ServedResource, Subresource } from '../resource.ts'
import type { Collection } from '../storage/collection.ts'
import type { Store } from '../storage/store.ts'
import type { RequestInfo } from './request-info.ts'

export interface ServerParts {
  readonly runtime: Runtime
  readonly store: Store
  readonly registry: Registry
  readonly fields: FieldManagement
  readonly admission: Admission
}

export interface ResourceRequest {
  readonly parts: ServerParts
  readonly http: HttpRequest
  readonly query: URLSearchParams
  readonly info: RequestInfo
  readonly user: User
  readonly resource: ServedResource
  readonly subresource: Subresource | undefined
  readonly dryRun: boolean
  readonly warnings: string[]
}

export function collectionOf({ parts, resource }: ResourceRequest): Collection {
  return parts.store.collection(resource.storage)
}

/** The key of an object in its collection. */
export function keyOf(resource: ServedResource, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name
}

export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`
}

/** Adds a warning. Like the real API server, drops text that is not valid in a header. */
export function warn(request: ResourceRequest, text: string): void {
  if (text === '' || /\p{Cc}/u.test(text) || request.warnings.includes(text)) return
  request.warnings.push(text)
}

/** The field manager: the query parameter, else the first part of the user agent. */
export function managerOf({ query, http }: ResourceRequest): string {
  const named = query.get('fieldManager')
  if (named !== null && named !== '') return named
  const agent = http.headers['user-agent'] ?? ''
  return agent.split('/')[0] || 'unknown'
}

/** Converts stored objects to the version of the request. */
export async function fromStorage(
  resource: ServedResource,
  objects: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  const apiVersion = apiVersionOf(resource)
  if (apiVersion === resource.storage.apiVersion) return objects
  if (resource.strategy.conversion !== undefined) return resource.strategy.conversion.fromStorage(objects)
  return objects.map((object) => ({ ...object, apiVersion, kind: resource.kind }))
}

export async function toStorage(resource: ServedResource, object: ApiObject): Promise<ApiObject> {
  const { apiVersion, kind } = resource.storage
  if (apiVersionOf(resource) === apiVersion) return object
  if (resource.strategy.conversion !== undefined) return resource.strategy.conversion.toStorage(object)
  return { ...object, apiVersion, kind }
}
