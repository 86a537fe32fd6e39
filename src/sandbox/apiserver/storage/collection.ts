/**
 * All objects of one kind, ordered by key (`namespace/name` or `name`), with history and listeners. Knows nothing of
 * API versions, users or validation.
 */
import type { Clock } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import { withMetadata } from '../object.ts'
import { type Change, History, type HistoryWindow } from './history.ts'
import { share } from './share.ts'
import { Stored } from './stored.ts'

export type ChangeListener = (change: Change) => void

/** What all collections of a store share. */
interface CollectionStore {
  nextRevision(): number
  /** Called with each change before its listeners; not with restored objects. */
  readonly record: ChangeListener | undefined
}

export class Collection {
  readonly history: History
  readonly #clock: Clock
  readonly #shared: CollectionStore
  readonly #objects = new Map<string, Stored>()
  readonly #listeners = new Set<ChangeListener>()
  #keys: string[] = []
  #unsorted: string[] = []
  #removed = new Set<string>()
  #lastRevision = 0
  readonly #pending: Change[] = []
  #notifying = false
  #latest: Stored | undefined

  constructor(clock: Clock, window: HistoryWindow, shared: CollectionStore) {
    this.#clock = clock
    this.#shared = shared
    this.history = new History(clock, window)
  }

  /** The revision of the newest change. */
  get lastRevision(): number {
    return this.#lastRevision
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key)
  }

  /** Stores a new object or a new version of one. An equal object keeps its version and listeners are not notified. */
  put(key: string, object: ApiObject): Stored {
    const previous = this.#objects.get(key)
    if (previous !== undefined) {
      const candidate = withMetadata(object, { resourceVersion: previous.object.metadata.resourceVersion })
      const same = share(previous.object, candidate)
      if (same === previous.object) return previous
      return this.#store(key, same, previous)
    }
    if (!this.#removed.delete(key)) this.#unsorted.push(key)
    return this.#store(key, object, undefined)
  }

  #store(key: string, object: ApiObject, previous: Stored | undefined): Stored {
    const revision = this.#shared.nextRevision()
    // Objects of one kind are often alike (pods of one template): parts equal to the latest object share memory.
    const lean = share(this.#latest?.object, withMetadata(object, { resourceVersion: String(revision) }))
    const stored = new Stored(lean, revision)
    this.#latest = stored
    this.#objects.set(key, stored)
    this.#change({ revision, key, current: stored, previous, at: this.#clock.now() })
    return stored
  }

  /** Restores objects of another collection with their versions. Listeners are not notified before `notifyAll`. */
  restore(objects: Iterable<readonly [string, Stored]>): void {
    for (const [key, stored] of objects) {
      this.#objects.set(key, stored)
      this.#unsorted.push(key)
    }
  }

  /** Notifies listeners of every stored object as if it were created. */
  notifyAll(): void {
    const at = this.#clock.now()
    for (const [key, current] of [...this.range('')])
      this.#notify({ revision: current.revision, key, current, previous: undefined, at })
  }

  /** Removes an object; returns its last state with the revision of the deletion. */
  delete(key: string): Stored | undefined {
    const previous = this.#objects.get(key)
    if (previous === undefined) return undefined
    const revision = this.#shared.nextRevision()
    const last = new Stored(withMetadata(previous.object, { resourceVersion: String(revision) }), revision)
    this.#objects.delete(key)
    this.#removed.add(key)
    this.#change({ revision, key, current: undefined, previous, deleted: last, at: this.#clock.now() })
    return last
  }

  #change(change: Change): void {
    this.#shared.record?.(change)
    this.#notify(change)
  }

  /** A listener may write to this collection: its change is delivered to all listeners after the current one. */
  #notify(change: Change): void {
    this.#lastRevision = change.revision
    this.history.append(change)
    this.#pending.push(change)
    if (this.#notifying) return
    this.#notifying = true
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        for (const listener of this.#listeners) listener(next)
      }
    } finally {
      this.#notifying = false
    }
  }

  /** Calls `listener` with every change from now on, in order; the returned function unsubscribes. */
  follow(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Objects whose key starts with `prefix` and is greater than `after`, in key order. */
  *range(prefix: string, after = ''): Generator<[string, Stored]> {
    const keys = this.#ordered()
    const from = after > prefix ? after : prefix
    for (let index = lowerBound(keys, from); index < keys.length; index++) {
      const key = keys[index] as string
      if (!key.startsWith(prefix)) return
      if (key === after) continue
      const stored = this.#objects.get(key)
      if (stored !== undefined) yield [key, stored]
    }
  }

  /** The objects at `revision`; undefined when it is compacted. */
  at(revision: number): Map<string, Stored> | undefined {
    const changes = this.history.since(revision)
    if (changes === undefined) return undefined
    const objects = new Map(this.#objects)
    for (const change of changes.toReversed()) {
      if (change.previous === undefined) objects.delete(change.key)
      else objects.set(change.key, change.previous)
    }
    return objects
  }

  #ordered(): readonly string[] {
    if (this.#removed.size > 0) {
      this.#keys = this.#keys.filter((key) => !this.#removed.has(key))
      this.#unsorted = this.#unsorted.filter((key) => !this.#removed.has(key))
      this.#removed = new Set()
    }
    if (this.#unsorted.length > 0) {
      this.#keys = merge(this.#keys, this.#unsorted.sort())
      this.#unsorted = []
    }
    return this.#keys
  }
}

function merge(left: readonly string[], right: readonly string[]): string[] {
  if ((left.at(-1) ?? '') < (right[0] ?? '')) return [...left, ...right]
  const result: string[] = []
  let index = 0
  for (const key of right) {
    while (index < left.length && (left[index] as string) < key) result.push(left[index++] as string)
    result.push(key)
  }
  while (index < left.length) result.push(left[index++] as string)
  return result
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
