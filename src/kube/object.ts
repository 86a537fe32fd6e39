/**
 * What all Kubernetes objects have in common.
 */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ObjectMeta {
  name: string
  namespace?: string
  generateName?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: unknown[]
}

export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

/** The fields of an object that a server-side apply sets: any part of those besides apiVersion, kind and metadata. */
export type ApplyConfiguration<T extends KubeObject> = KubeObject & PartOf<Omit<T, keyof KubeObject>>

type PartOf<V> = V extends readonly (infer E)[]
  ? readonly PartOf<E>[]
  : V extends object
    ? { readonly [K in keyof V]?: PartOf<V[K]> }
    : V

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  metadata: ListMeta
  items: T[]
}

/** The body of a response without an object, above all of every error. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  code?: number
  details?: {
    name?: string
    group?: string
    kind?: string
    uid?: string
    retryAfterSeconds?: number
    causes?: { reason?: string; message?: string; field?: string }[]
  }
  metadata?: ListMeta
}

declare const objectOf: unique symbol

/** A resource as discovery describes it; `T` is the type of its objects. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Never set: it carries `T` from `resources.pods` to `client.of(resources.pods)`. */
  readonly [objectOf]?: T
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Plural name in paths, for example `deployments`. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** `namespace/name`, or `name` for a cluster-scoped object. */
export function keyOf(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined }
}): string {
  const { namespace, name } = object.metadata
  return namespace ? `${namespace}/${name}` : name
}
