/**
 * What a controller reads: the state of one resource type as the server last told it. Filled by the reflector alone.
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
  /** Called for every change after it is visible in the cache, in order; returns a function that ends the subscription. */
  subscribe(listener: (change: CacheChange<T>) => void): () => void
  /** Resolves once the first complete list is in. */
  readonly synced: Promise<void>
}

/** `T` is what is kept of each object, `O` the objects of the client. */
export interface ReflectorOptions<T, O extends KubeObject = KubeObject> {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** What is kept of an object, which comes without managedFields; runs before anything is retained. @default the object */
  readonly project?: (object: O) => T
  /** Index name to a function that gives the values an item is found under. */
  readonly indexes?: Readonly<Record<string, (value: T) => readonly string[]>>
  /** Whether two values of one object say the same: a watched change that leaves it so is told to nobody. @default never */
  readonly isSame?: (before: T, after: T) => boolean
  /** Objects per page of a list. @default 500 */
  readonly pageSize?: number
}

/** Keeps a cache equal to the server until stopped. */
export interface Reflector<T> {
  readonly cache: Cache<T>
  /** Runs until `signal` aborts; never rejects for anything the server or the network does. */
  run(signal: AbortSignal): Promise<void>
}
