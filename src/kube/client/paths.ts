/** API paths of collections, objects and subresources, and their queries. */
import { CarabinerError } from '../../runtime/index.ts'
import type { ResourceType } from '../object.ts'

export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  if (!type.namespaced || !namespace) return `${root}/${type.resource}`
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${type.resource}`
}

/** The collection an object is created in; unlike for a list, a namespaced type needs the namespace. */
export function homePath(type: ResourceType, namespace: string | undefined, name: string): string {
  if (type.namespaced && !namespace) {
    throw new CarabinerError('CRB_NAMESPACE_MISSING', `${type.kind} "${name}" has no namespace.`)
  }
  return collectionPath(type, namespace)
}

export function objectPath(
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  const path = `${homePath(type, namespace, name)}/${encodeURIComponent(name)}`
  return subresource ? `${path}/${subresource}` : path
}

export type QueryValue = string | number | boolean | undefined

/** Omits absent values and keeps the caller's order, so that equal requests have equal targets. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  let target = path
  let separator = path.includes('?') ? '&' : '?'
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    target += `${separator}${name}=${encodeURIComponent(value)}`
    separator = '&'
  }
  return target
}
