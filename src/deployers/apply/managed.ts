/**
 * What a deploy item has in its target, as its provider status records it: enough to find every object again, to know whose it is and to
 * tell whether it has changed since.
 */
import type { KubeObject } from '../../kube/object.ts'

/**
 * `manage` creates, updates and deletes, and takes over what is there; `fallback` does so only with objects that carry our label; `keep`
 * never deletes; `immutable` never updates; `ignore` does nothing.
 */
export const policies = ['manage', 'fallback', 'keep', 'ignore', 'immutable'] as const
export type Policy = (typeof policies)[number]

export interface ResourceReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly uid?: string
}

export interface ManagedResource {
  readonly policy: Policy
  readonly resource: ResourceReference
  /** Short hashes of what was asked for and of what the server made of it; while both stay the same there is nothing to write. */
  readonly applied?: { readonly manifest: string; readonly object: string }
}

export function referenceTo(object: KubeObject): ResourceReference {
  const { name, namespace = '', uid } = object.metadata
  return { apiVersion: object.apiVersion, kind: object.kind, name, namespace, ...(uid === undefined ? {} : { uid }) }
}

/** The version of a group does not make another object of it. */
export function keyOfReference({ apiVersion, kind, namespace, name }: ResourceReference): string {
  return [groupOf(apiVersion), kind, namespace, name].join('/')
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}

/** For people: `Deployment shop/web`. */
export function describeReference({ kind, namespace, name }: ResourceReference): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}
