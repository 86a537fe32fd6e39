/**
 * The objects a deploy item has on its target, as its provider status records them: enough to find each object again, to check who owns it
 * and to see whether it has changed.
 */
import type { KubeObject } from '../../kube/index.ts'

/**
 * `manage` creates, updates and deletes, and adopts objects that exist; `fallback` does so only for objects with our label; `keep` never
 * deletes; `immutable` never updates; `ignore` does nothing.
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
  /** Short hashes of the manifest and of the resulting object; nothing is written while both stay the same. */
  readonly applied?: { readonly manifest: string; readonly object: string }
  /** The manifests no longer contain it; it is being deleted. @default false */
  readonly isOrphan?: boolean
}

export function referenceTo(object: KubeObject): ResourceReference {
  const { name, namespace = '', uid } = object.metadata
  return { apiVersion: object.apiVersion, kind: object.kind, name, namespace, ...(uid === undefined ? {} : { uid }) }
}

/** Without the version: two versions of a group serve the same object. */
export function keyOfReference({ apiVersion, kind, namespace, name }: ResourceReference): string {
  return [groupOf(apiVersion), kind, namespace, name].join('/')
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}

/** For messages: `Deployment shop/web`. */
export function describeReference({ kind, namespace, name }: ResourceReference): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}
