/**
 * A served resource: everything the request path has to know about one group, version and kind, built-in or defined by a CRD.
 * The request path (rest/, storage/, watch/, admission/) knows only this interface; types/, defaults/, validation/, table/ and
 * crd/ provide it. Nothing in here does anything.
 */
import type { Instant } from '../../runtime/clock.ts'
import type { Json, JsonObject } from '../../runtime/json.ts'
import type { Schema } from '../../schema/schema.ts'
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
  /** Where the objects are kept: resources with the same key share their objects (other versions, core and events.k8s.io events). */
  readonly storage: StorageKey
  readonly strategy: Strategy
  /** Items of lists repeat kind and apiVersion, as those of custom resources do. @default false */
  readonly itemsNameKind?: boolean
}

export interface StorageKey {
  readonly group: string
  readonly resource: string
  /** `apiVersion` and kind that objects are kept in. */
  readonly apiVersion: string
  readonly kind: string
}

export interface Subresource {
  /** `status`, `scale`, `log`, `eviction`, … */
  readonly name: string
  readonly verbs: readonly Verb[]
  /** The kind it speaks; differs from the resource's for `scale`, `token`, `eviction`, `binding`. */
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
   * Reads a parsed request body as this type: drops what the type does not know and names it, refuses wrong JSON types
   * (a `StatusError` of 400). Does not default.
   */
  decode(body: JsonObject): Decoded
  /** Fills in defaults of the type, as the real server does on every read of a request or of storage. */
  default(object: ApiObject): ApiObject
  /** What a client may not decide when it creates: drops status, sets the first generation. */
  prepareForCreate(object: ApiObject): ApiObject
  /** What a write through this endpoint may not change is taken from `old`; sets the generation. `subresource` is '' for the object itself. */
  prepareForUpdate(object: ApiObject, old: ApiObject, subresource: string): ApiObject
  /** Faults beyond metadata (which the request path checks); `old` is there for updates. */
  validate(object: ApiObject, old: ApiObject | undefined, subresource: string): readonly FieldError[]
  /** Texts for `Warning` headers. */
  warnings?(object: ApiObject, old: ApiObject | undefined): readonly string[]
  /** Checks `metadata.name` (and generateName when `prefix`); returns what is wrong with it. */
  validateName(name: string, prefix: boolean): readonly string[]
  /** Fields a field selector may name besides metadata.name and metadata.namespace, with their value as text. */
  readonly selectableFields: Readonly<Record<string, (object: ApiObject) => string>>
  readonly table: TableShape
  /** Seconds of graceful deletion for kinds that have it, given what the client asked for; kinds without it go at once. */
  gracePeriodSeconds?(object: ApiObject, requested: number | undefined): number
  /** What becomes of dependents when the client names no policy; `Unsupported`: never finalizers for them. @default Background */
  readonly garbageCollection?: 'Orphan' | 'Background' | 'Unsupported'
  /**
   * What a kind makes of an object when its deletion begins, such as adding a finalizer of its own. With a deletionTimestamp it is
   * kept just so.
   */
  deletionBegins?(object: ApiObject, now: Instant): ApiObject
  /** A delete answers with the object rather than a `Status`. @default false */
  readonly returnsDeleted?: boolean
  /** Something other than finalizers and grace still holds an object that is being deleted, as `spec.finalizers` of a namespace. */
  held?(object: ApiObject): boolean
  /** An update may create what is not there (`PUT` of leases, services, events, …). @default false */
  readonly createOnUpdate?: boolean
  /** Finalizers need no domain in front, as on custom resources. @default false */
  readonly plainFinalizers?: boolean
  /** An update without a resourceVersion is accepted. @default true */
  readonly unconditionalUpdate?: boolean
  /** From the kept version to this one and back; only the apiVersion changes when absent. */
  readonly conversion?: Conversion
}

export interface Decoded {
  readonly object: ApiObject
  /** Sentences such as `unknown field "spec.replica"` and `duplicate field "spec.a"`. */
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
  /** The object to keep after a create, update or non-apply patch: `object` with its managedFields brought up to date. */
  update(write: FieldWrite & { readonly object: ApiObject; readonly old: ApiObject | undefined }): ApiObject
  /** Merges an applied configuration into `live` (undefined: creates); a `StatusError` of 409 names conflicts unless `force`. */
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
