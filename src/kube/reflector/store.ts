/**
 * The cache behind a reflector: values by key, their indexes, and the listeners. Every change is visible before it is told, and a list
 * replaces everything at once. It never looks inside a value: projections decide what a value is.
 */
import type { Logger } from '../../runtime/log.ts'
import type { Cache, CacheChange } from './cache.ts'
import { Indexes } from './indexes.ts'

/** A value and the version it was read at, by which a list is told apart from what is known. */
export interface Entry<T> {
  readonly value: T
  readonly version: string
}

export class Store<T> implements Cache<T> {
  readonly synced: Promise<void>
  readonly #log: Logger
  readonly #listeners = new Set<(change: CacheChange<T>) => void>()
  readonly #indexes: Indexes<T>
  #entries = new Map<string, Entry<T>>()
  #markSynced: () => void = () => {}

  constructor(log: Logger, indexes: Readonly<Record<string, (value: T) => readonly string[]>> = {}) {
    this.#log = log
    this.#indexes = new Indexes(indexes)
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve
    })
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys()
  }

  *values(): IterableIterator<T> {
    for (const entry of this.#entries.values()) yield entry.value
  }

  by(index: string, value: string): readonly T[] {
    const found: T[] = []
    for (const key of this.#indexes.keys(index, value)) {
      const entry = this.#entries.get(key)
      if (entry !== undefined) found.push(entry.value)
    }
    return found
  }

  subscribe(listener: (change: CacheChange<T>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** One object as a watch tells it; the version that is there already is no change. */
  put(key: string, entry: Entry<T>): CacheChange<T> | undefined {
    const previous = this.#entries.get(key)
    if (previous !== undefined && isSame(previous, entry)) return undefined
    this.#entries.set(key, entry)
    this.#indexes.move(key, previous?.value, entry.value)
    const { value } = entry
    return previous === undefined
      ? { type: 'added', key, value }
      : { type: 'updated', key, value, previous: previous.value }
  }

  remove(key: string): CacheChange<T> | undefined {
    const previous = this.#entries.get(key)
    if (previous === undefined) return undefined
    this.#entries.delete(key)
    this.#indexes.move(key, previous.value, undefined)
    return { type: 'deleted', key, previous: previous.value }
  }

  /**
   * Takes a complete list and returns what it changed: deletions first, then the list's order. With `anew` equal versions count as
   * changed, because they come from different storages.
   */
  replace(list: Map<string, Entry<T>>, anew: boolean): CacheChange<T>[] {
    const changes: CacheChange<T>[] = []
    const before = this.#entries
    for (const [key, { value }] of before) {
      if (!list.has(key)) changes.push({ type: 'deleted', key, previous: value })
    }
    for (const [key, entry] of list) {
      const { value } = entry
      const previous = before.get(key)
      if (previous === undefined) changes.push({ type: 'added', key, value })
      else if (anew || !isSame(previous, entry)) {
        changes.push({ type: 'updated', key, value, previous: previous.value })
      } else list.set(key, previous)
    }
    this.#entries = list
    for (const change of changes) {
      this.#indexes.move(
        change.key,
        change.type === 'added' ? undefined : change.previous,
        change.type === 'deleted' ? undefined : change.value,
      )
    }
    return changes
  }

  /** Tells every listener; one that throws is logged and does not keep the others from hearing. */
  tell(change: CacheChange<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#log.error('cache listener failed', { key: change.key, change: change.type, error })
      }
    }
  }

  markSynced(): void {
    this.#markSynced()
  }
}

/** Objects without a version cannot be told apart: each one counts as new. */
function isSame(one: Entry<unknown>, other: Entry<unknown>): boolean {
  return one.version === other.version && one.version !== ''
}
