/**
 * The cache of a reflector: values by key, indexes and listeners. A change is visible before listeners are notified, and a list replaces all
 * entries in one step. Values are opaque: the projection decides what they are.
 */
import type { Logger } from '../../runtime/index.ts'
import type { Cache, CacheChange } from './cache.ts'
import { Indexes, type IndexFunctions } from './indexes.ts'

/** A value and its resourceVersion, which shows whether a list contains a change. */
export interface Entry<T> {
  readonly value: T
  readonly version: string
}

/** A list in progress, collected beside the store with its own indexes, so that swapping it in takes no time. */
export class Listing<T> {
  readonly entries = new Map<string, Entry<T>>()
  readonly indexes: Indexes<T>
  readonly #known: ReadonlyMap<string, Entry<T>>

  /** Reuses the equal entries of `known`. */
  constructor(indexes: Indexes<T>, known: ReadonlyMap<string, Entry<T>>) {
    this.indexes = indexes
    this.#known = known
  }

  add(key: string, entry: Entry<T>): void {
    const known = this.#known.get(key)
    const kept = known !== undefined && hasSameVersion(known, entry) ? known : entry
    this.indexes.move(key, this.entries.get(key)?.value, kept.value)
    this.entries.set(key, kept)
  }
}

export class Store<T> implements Cache<T> {
  readonly synced: Promise<void>
  readonly #log: Logger
  readonly #listeners = new Set<(change: CacheChange<T>) => void>()
  readonly #functions: IndexFunctions<T>
  readonly #isSame: (before: T, after: T) => boolean
  #indexes: Indexes<T>
  #entries = new Map<string, Entry<T>>()
  #markSynced: () => void = () => {}

  constructor(log: Logger, indexes: IndexFunctions<T> = {}, isSame: (before: T, after: T) => boolean = () => false) {
    this.#log = log
    this.#functions = indexes
    this.#isSame = isSame
    this.#indexes = this.#newIndexes()
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

  /** Stores one object of a watch; a version that is stored already is no change. */
  put(key: string, entry: Entry<T>): CacheChange<T> | undefined {
    const previous = this.#entries.get(key)
    if (previous !== undefined && hasSameVersion(previous, entry)) return undefined
    if (previous !== undefined && this.#isSame(previous.value, entry.value)) {
      // Keep the old value: callers may compare by identity.
      this.#entries.set(key, { value: previous.value, version: entry.version })
      return undefined
    }
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

  /** Without `reuse` equal versions count as changed, because they come from different storages. */
  begin({ reuse }: { readonly reuse: boolean }): Listing<T> {
    return new Listing(this.#newIndexes(), reuse ? this.#entries : new Map())
  }

  /** Replaces the entries with a complete list and returns the changes: deletions first, then in the order of the list. */
  swap(listing: Listing<T>): Iterable<CacheChange<T>> {
    const before = this.#entries
    this.#entries = listing.entries
    this.#indexes = listing.indexes
    return changes(before, listing.entries)
  }

  /** Notifies every listener; an error of one is logged and does not affect the others. */
  notify(change: CacheChange<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#log.error('cache listener failed', { key: change.key, change: change.type, error })
      }
    }
  }

  #newIndexes(): Indexes<T> {
    return new Indexes(this.#functions, (index, error) => this.#log.error('index function failed', { index, error }))
  }

  markSynced(): void {
    this.#markSynced()
  }
}

/** Lazy, so that the caller can yield between the changes. */
function* changes<T>(
  before: ReadonlyMap<string, Entry<T>>,
  after: ReadonlyMap<string, Entry<T>>,
): Generator<CacheChange<T>> {
  for (const [key, { value }] of before) if (!after.has(key)) yield { type: 'deleted', key, previous: value }
  for (const [key, entry] of after) {
    const previous = before.get(key)
    if (previous === undefined) yield { type: 'added', key, value: entry.value }
    else if (previous !== entry) yield { type: 'updated', key, value: entry.value, previous: previous.value }
  }
}

/** Objects without a version always count as changed. */
function hasSameVersion(one: Entry<unknown>, other: Entry<unknown>): boolean {
  return one.version === other.version && one.version !== ''
}
