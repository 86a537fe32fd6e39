/**
 * The cache behind a reflector: values by key, their indexes, and the listeners. Every change is visible before it is told, and a list
 * replaces everything in one step, however long it is. It never looks inside a value: projections decide what a value is.
 */
import type { Logger } from '../../runtime/log.ts'
import type { Cache, CacheChange } from './cache.ts'
import { Indexes, type IndexFunctions } from './indexes.ts'

/** A value and the version it was read at, by which a list is told apart from what is known. */
export interface Entry<T> {
  readonly value: T
  readonly version: string
}

/** A list on its way: collected beside the store page by page, so that taking it over costs nothing. */
export class Listing<T> {
  readonly entries = new Map<string, Entry<T>>()
  readonly indexes: Indexes<T>
  readonly #known: ReadonlyMap<string, Entry<T>>

  /** Entries equal to those in `known` are taken from there. */
  constructor(indexes: Indexes<T>, known: ReadonlyMap<string, Entry<T>>) {
    this.indexes = indexes
    this.#known = known
  }

  add(key: string, entry: Entry<T>): void {
    const known = this.#known.get(key)
    const kept = known !== undefined && isSame(known, entry) ? known : entry
    this.indexes.move(key, this.entries.get(key)?.value, kept.value)
    this.entries.set(key, kept)
  }
}

export class Store<T> implements Cache<T> {
  readonly synced: Promise<void>
  readonly #log: Logger
  readonly #listeners = new Set<(change: CacheChange<T>) => void>()
  readonly #functions: IndexFunctions<T>
  readonly #saysTheSame: (before: T, after: T) => boolean
  #indexes: Indexes<T>
  #entries = new Map<string, Entry<T>>()
  #markSynced: () => void = () => {}

  constructor(
    log: Logger,
    indexes: IndexFunctions<T> = {},
    saysTheSame: (before: T, after: T) => boolean = () => false,
  ) {
    this.#log = log
    this.#functions = indexes
    this.#saysTheSame = saysTheSame
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

  /** One object as a watch tells it; the version that is there already is no change. */
  put(key: string, entry: Entry<T>): CacheChange<T> | undefined {
    const previous = this.#entries.get(key)
    if (previous !== undefined && isSame(previous, entry)) return undefined
    if (previous !== undefined && this.#saysTheSame(previous.value, entry.value)) {
      // Whoever has the value may go by its being the very same.
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

  /** With `anew` equal versions count as changed, because they come from different storages. */
  begin(anew: boolean): Listing<T> {
    return new Listing(this.#newIndexes(), anew ? new Map() : this.#entries)
  }

  /** Takes a complete list and gives what it changed: deletions first, then the list's order. */
  swap(listing: Listing<T>): Iterable<CacheChange<T>> {
    const before = this.#entries
    this.#entries = listing.entries
    this.#indexes = listing.indexes
    return changes(before, listing.entries)
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

  #newIndexes(): Indexes<T> {
    return new Indexes(this.#functions, (index, error) => this.#log.error('index function failed', { index, error }))
  }

  markSynced(): void {
    this.#markSynced()
  }
}

/** Lazily, so that whoever tells them can pause in between. */
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

/** Objects without a version cannot be told apart: each one counts as new. */
function isSame(one: Entry<unknown>, other: Entry<unknown>): boolean {
  return one.version === other.version && one.version !== ''
}
