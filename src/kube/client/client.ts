/**
 * The interface of the client: one handle per resource type, every verb of the API, nothing cached.
 */
import type { Discovery } from '../discovery/discovery.ts'
import type { ApplyConfiguration, KubeList, KubeObject, ListMeta, ResourceType, Status } from '../object.ts'

export interface ListOptions {
  /** All namespaces when absent. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  /** Omits `metadata.managedFields` where that saves decoding it; callers must not rely on its absence. */
  readonly omitManagedFields?: boolean
  readonly signal?: AbortSignal
}

export interface WatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number
  readonly allowBookmarks?: boolean
  readonly sendInitialEvents?: boolean
  /** As in `ListOptions`. */
  readonly omitManagedFields?: boolean
  readonly signal?: AbortSignal
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status }

/**
 * The part of the response that the caller reads; the server sends nothing else. `managers` is the metadata with
 * `metadata.managedFields`, which `metadata` omits. @default everything
 */
export type Answer = 'metadata' | 'managers'

export interface WriteOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
  readonly answer?: Answer
  readonly signal?: AbortSignal
}

export interface DeleteOptions {
  readonly namespace?: string
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

export type Patch =
  | { readonly type: 'json'; readonly operations: readonly object[] }
  | { readonly type: 'merge' | 'strategic'; readonly value: object }

/** The address of an object: a namespace for namespaced types, and optionally a subresource such as `status` or `scale`. */
export interface At {
  readonly namespace?: string
  readonly subresource?: string
}

export interface ResourceClient<T extends KubeObject = KubeObject> {
  readonly type: ResourceType
  get(name: string, at?: At & { readonly answer?: Answer; readonly signal?: AbortSignal }): Promise<T>
  list(options?: ListOptions): Promise<KubeList<T>>
  /** Like `list`, but converts each object with `keep` as soon as it arrives, so that the whole page is never in memory. */
  gather<V>(
    keep: (object: T) => V,
    options?: ListOptions,
  ): Promise<{ readonly metadata: ListMeta; readonly items: readonly V[] }>
  /** Every page of a list, `limit` objects each. @default 500 */
  pages(options?: ListOptions): AsyncIterable<KubeList<T>>
  /** Ends when the server ends it; rejects when the connection breaks or the response is an error. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** The namespace comes from the object's metadata, as in `update` and `apply`. */
  create(object: T, options?: WriteOptions & { readonly subresource?: string }): Promise<T>
  update(object: T, options?: WriteOptions & { readonly subresource?: string }): Promise<T>
  patch(name: string, patch: Patch, options?: WriteOptions & At): Promise<T>
  /** Server-side apply of the given fields; conflicts reject unless `force`. */
  apply(
    object: ApplyConfiguration<T>,
    options: WriteOptions & { readonly fieldManager: string; readonly force?: boolean; readonly subresource?: string },
  ): Promise<T>
  delete(name: string, options?: DeleteOptions): Promise<T | Status>
  deleteCollection(options?: ListOptions & DeleteOptions): Promise<void>
}

export interface LogOptions {
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly timestamps?: boolean
  readonly signal?: AbortSignal
}

export interface KubeClient {
  /** The same client under another name at the rate limit: waiting surfaces take turns. */
  surface(name: string): KubeClient
  readonly discovery: Discovery
  /** A handle for a type that is known; no request is made. */
  of<T extends KubeObject>(type: ResourceType<T>): ResourceClient<T>
  /** For objects whose fields the resource type does not carry: those of custom resources, or a part of the fields. */
  of<T extends KubeObject>(type: ResourceType): ResourceClient<T>
  /** A handle found by discovery (cached, refreshed once on a miss); rejects with `ResourceNotServed` when there is none. */
  find<T extends KubeObject = KubeObject>(apiVersion: string, kind: string): Promise<ResourceClient<T>>
  /** A container's log as bytes. */
  logs(pod: { readonly namespace: string; readonly name: string }, options?: LogOptions): AsyncIterable<Uint8Array>
  /** Any other path, for example `/version`; rejects on statuses of 400 and above. */
  raw(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown>
}
