/**
 * A served resource: all the request path needs to know about one group, version and kind, built-in or defined by a
 * CRD. The request path (rest/, storage/, watch/, admission/) depends only on these interfaces; types/, defaults/,
 * validation/, table/ and crd/ implement them.
 */
import type { Instant, Json, JsonObject } from '../../runtime/index.ts'
import type { Schema } from '../../schema/index.ts'
import type { FieldError } from './field-error.ts'
import type { ApiObject } from './object.ts'

export type Verb = 'create' | 'get' | 'list' | 'watch' | 'update' | 'patch' | 'delete' | 'deletecollection'

export interface ServedResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Plural name in paths. */
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  /** Resources with the same storage key share their objects (other versions; core and events.k8s.io events). */
  readonly storage: StorageKey
  readonly strategy: Strategy
  /**
   * Items of lists carry kind and apiVersion, as those of custom resources do.
   * @default false
   */
  readonly itemsNameKind?: boolean
}

export interface StorageKey {
  readonly group: string
  readonly resource: string
  /** The `apiVersion` and kind in which objects are stored. */
  readonly apiVersion: string
  readonly kind: string
}

export interface Subresource {
  /** `status`, `scale`, `log`, `eviction`, … */
  readonly name: string
  readonly verbs: readonly Verb[]
  /** The kind of its body; differs from the resource's kind for `scale`, `token`, `eviction` and `binding`. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Paths that `scale` reads and writes, for example `.spec.replicas`. */
  readonly scale?: ScalePaths
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface Strategy {
  /** Structure of the type: for strict decoding, strategic merge, server-side apply and explain. */
  readonly schema: Schema
  /**
   * Decodes a parsed request body as this type: drops and reports unknown fields, refuses wrong JSON types with a
   * `StatusError` of 400. Does not set defaults.
   */
  decode(body: JsonObject): Decoded
  /** Sets the defaults of the type, as the real API server does for every request and every read from storage. */
  default(object: ApiObject): ApiObject
  /** Resets what a client cannot set on creation: drops the status, sets the first generation. */
  prepareForCreate(object: ApiObject): ApiObject
  /**
   * Copies from `old` what a write through this endpoint cannot change, and sets the generation. `subresource` is ''
   * for the object itself.
   */
  prepareForUpdate(object: ApiObject, old: ApiObject, subresource: string): ApiObject
  /** Validation errors outside of metadata (which the request path checks); `old` is set for updates. */
  validate(object: ApiObject, old: ApiObject | undefined, subresource: string): readonly FieldError[]
  /** Texts for `Warning` headers. */
  warnings?(object: ApiObject, old: ApiObject | undefined): readonly string[]
  /** Checks `metadata.name` (generateName when `prefix`); returns what is wrong with it. */
  validateName(name: string, prefix: boolean): readonly string[]
  /** Fields that a field selector supports besides metadata.name and metadata.namespace, with their value as text. */
  readonly selectableFields: Readonly<Record<string, (object: ApiObject) => string>>
  readonly table: TableShape
  /**
   * The grace period in seconds for kinds with graceful deletion, given the requested one; other kinds are deleted
   * immediately.
   */
  gracePeriodSeconds?(object: ApiObject, requested: number | undefined): number
  /**
   * The default propagation policy; `Unsupported` means that the finalizers of the garbage collector are never set.
   * @default Background
   */
  readonly garbageCollection?: 'Orphan' | 'Background' | 'Unsupported'
  /**
   * Changes an object when its deletion begins, for example adds a finalizer. An object returned with a
   * deletionTimestamp is stored unchanged.
   */
  onDeletionStart?(object: ApiObject, now: Instant): ApiObject
  /**
   * A delete returns the object instead of a `Status`.
   * @default false
   */
  readonly returnsDeleted?: boolean
  /** Whether something other than finalizers and grace period blocks the removal, such as `spec.finalizers` of a namespace. */
  isDeletionBlocked?(object: ApiObject): boolean
  /**
   * An update of a missing object creates it (`PUT` of leases, services, events, …).
   * @default false
   */
  readonly createOnUpdate?: boolean
  /**
   * Finalizers need no domain prefix, as on custom resources.
   * @default false
   */
  readonly plainFinalizers?: boolean
  /** An update without a resourceVersion is accepted. @default true */
  readonly unconditionalUpdate?: boolean
  /** Conversion from the storage version to this one and back; when absent only apiVersion changes. */
  readonly conversion?: Conversion
}

export interface Decoded {
  readonly object: ApiObject
  /** Messages such as `unknown field "spec.replica"` and `duplicate field "spec.a"`. */
  readonly faults: readonly string[]
}

export interface Conversion {
  fromStorage(objects: readonly ApiObject[]): Promise<readonly ApiObject[]>
  toStorage(object: ApiObject): Promise<ApiObject>
}

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

export interface TableShape {
  readonly columns: readonly TableColumn[]
  /** One cell per column. */
  cells(object: ApiObject, now: Instant): readonly Json[]
}

/** managedFields and server-side apply; implemented in apply/. All objects are in the version of the request. */
export interface FieldManagement {
  /** Returns the object to store after a create, update or non-apply patch, with updated managedFields. */
  update(write: FieldWrite & { readonly object: ApiObject; readonly old: ApiObject | undefined }): ApiObject
  /**
   * Merges an applied configuration into `live` (undefined: creates); throws a `StatusError` of 409 with the conflicts
   * unless `force`.
   */
  apply(
    write: FieldWrite & {
      readonly applied: JsonObject
      readonly live: ApiObject | undefined
      readonly force: boolean
    },
  ): ApiObject
}

export interface FieldWrite {
  readonly resource: ServedResource
  readonly manager: string
  /** '' for the object itself. */
  readonly subresource: string
  readonly now: Instant
}
