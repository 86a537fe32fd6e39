/**
 * Deletes every object of a collection and calls `done` when none is left. Objects with finalizers stay until the
 * finalizers are removed.
 */
import { withMetadata } from '../object.ts'
import type { Collection } from '../storage/collection.ts'

export function deleteAllOf(collection: Collection, now: string, done: () => void): void {
  const stop = collection.follow(({ current }) => {
    if (current === undefined && collection.size === 0) finish()
  })
  const finish = (): void => {
    stop()
    done()
  }
  const keys = [...collection.range('')].map(([key]) => key)
  if (keys.length === 0) {
    finish()
    return
  }
  // In the next microtask, so that watchers see the deletion of the definition before the deletion of its objects.
  queueMicrotask(() => {
    for (const key of keys) {
      const object = collection.get(key)?.object
      if (object === undefined) continue
      if ((object.metadata.finalizers ?? []).length === 0) collection.delete(key)
      else if (object.metadata.deletionTimestamp === undefined) {
        const generation = (object.metadata.generation ?? 0) + 1
        collection.put(key, withMetadata(object, { deletionTimestamp: now, deletionGracePeriodSeconds: 0, generation }))
      }
    }
  })
}
