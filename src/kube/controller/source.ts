/**
 * Where a controller's keys come from: a cache, and a rule that says which keys a value in it concerns. A ReplicaSet's pods, for
 * example, concern the ReplicaSet that owns them.
 */
import type { Cache } from '../reflector/cache.ts'

export interface Source {
  readonly synced: Promise<void>
  /** Adds the keys of everything that is there and of every change from now on; returns a function that ends it. */
  feed(add: (key: string) => void): () => void
}

/** Without `keysOf`, a value concerns its own key. An update concerns the keys of what was and of what is. */
export function source<T>(cache: Cache<T>, keysOf?: (value: T, key: string) => Iterable<string>): Source {
  const concern = (add: (key: string) => void, key: string, value: T | undefined) => {
    if (keysOf === undefined) add(key)
    else if (value !== undefined) for (const concerned of keysOf(value, key)) add(concerned)
  }
  return {
    synced: cache.synced,
    feed(add) {
      const stop = cache.subscribe((change) => {
        if (change.type !== 'added') concern(add, change.key, change.previous)
        if (change.type !== 'deleted') concern(add, change.key, change.value)
      })
      for (const key of cache.keys()) concern(add, key, cache.get(key))
      return stop
    },
  }
}
