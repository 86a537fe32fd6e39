/**
 * The last observed objects of one resource type, which controllers read. Only the reflector writes it.
 */
import type { KubeObject } from '../object.ts'

export type CacheChange<T> =
  | { readonly type: 'added'; readonly key: string; readonly value: T }
  | { readonly type: 'updated'; readonly key: string; readonly value: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly key: string; readonly previous: T }

export interface Cache<T> {
  get(key: string): T | undefined
  keys(): IterableIterator<string>
  values(): IterableIterator<T>
  readonly size: number
  /** Values whose index function returned `value`; an unknown index name throws. */
  by(index: string, value: string): readonly T[]
  /** Called for every change after it is visible in the cache, in order; returns a function that unsubscribes. */
  subscribe(listener: (change: CacheChange<T>) => void): () => void
  /** Resolves when the first list is complete. */
  readonly synced: Promise<void>
}

/** `T` is the projection of an object, `O` the object type of the client. */
export interface ReflectorOptions<T, O extends KubeObject = KubeObject> {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** The projection of an object, which has no managedFields; runs before anything is kept. @default the object */
  readonly project?: (object: O) => T
  /** Index functions by name; each returns the values that a value is found under. */
  readonly indexes?: Readonly<Record<string, (value: T) => readonly string[]>>
  /** Whether two values of one object are equal: listeners are not notified of such an update. @default never */
  readonly isSame?: (before: T, after: T) => boolean
  /** Objects per page of a list. @default 500 */
  readonly pageSize?: number
}

/** Keeps a cache equal to the server until stopped. */
export interface Reflector<T> {
  readonly cache: Cache<T>
  /** Runs until `signal` aborts; never rejects because of the server or the network. */
  run(signal: AbortSignal): Promise<void>
}
