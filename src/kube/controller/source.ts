/**
 * A controller's keys come from a cache and a rule that maps a value to the keys it affects: a pod, for example, affects the ReplicaSet that
 * owns it.
 */
import type { Cache } from '../reflector/cache.ts'

export interface Source {
  readonly synced: Promise<void>
  /** Adds the keys of all values in the cache and of every later change; returns a function that unsubscribes. */
  feed(add: (key: string) => void): () => void
}

/** Without `keysOf` a value affects its own key. An update affects the keys of the old and the new value. */
export function source<T>(cache: Cache<T>, keysOf?: (value: T, key: string) => Iterable<string>): Source {
  const addKeys = (add: (key: string) => void, key: string, value: T | undefined) => {
    if (keysOf === undefined) add(key)
    else if (value !== undefined) for (const affected of keysOf(value, key)) add(affected)
  }
  return {
    synced: cache.synced,
    feed(add) {
      const unsubscribe = cache.subscribe((change) => {
        if (change.type !== 'added') addKeys(add, change.key, change.previous)
        if (change.type !== 'deleted') addKeys(add, change.key, change.value)
      })
      for (const key of cache.keys()) addKeys(add, key, cache.get(key))
      return unsubscribe
    },
  }
}
