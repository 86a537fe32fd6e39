/** The storage of the cluster (etcd): one collection per kind and one revision counter for all of them. */
import type { Clock } from '../../../runtime/index.ts'
import type { StorageKey } from '../resource.ts'
import { Collection } from './collection.ts'
import type { Change, HistoryWindow } from './history.ts'
import type { Stored } from './stored.ts'

/** A snapshot of the storage. Objects are never changed in place, so it is cheap and can be shared. */
export interface StoreState {
  readonly revision: number
  readonly collections: ReadonlyMap<string, readonly (readonly [string, Stored])[]>
}

export type RecordChange = (collection: string, change: Change) => void

export class Store {
  readonly #clock: Clock
  readonly #window: HistoryWindow
  readonly #collections = new Map<string, Collection>()
  readonly #record: RecordChange | undefined
  #revision = 1
  #restoredRevision = 0

  /** `record` is called with every change, in order. */
  constructor(clock: Clock, window: HistoryWindow, record?: RecordChange) {
    this.#clock = clock
    this.#window = window
    this.#record = record
  }

  get revision(): number {
    return this.#revision
  }

  collection({ group, resource }: Pick<StorageKey, 'group' | 'resource'>): Collection {
    return this.#named(`${group}/${resource}`)
  }

  get state(): StoreState {
    const collections = Array.from(
      this.#collections,
      ([name, collection]) => [name, [...collection.range('')]] as const,
    )
    return { revision: this.#revision, collections: new Map(collections) }
  }

  /** Restores a snapshot into an empty store, without history: watches from older revisions get 410. */
  restore({ revision, collections }: StoreState): void {
    this.#revision = revision
    this.#restoredRevision = revision
    for (const [name, objects] of collections) this.#named(name).restore(objects)
    for (const name of collections.keys()) this.#named(name).notifyAll()
    this.compact()
  }

  #named(name: string): Collection {
    let collection = this.#collections.get(name)
    if (collection === undefined) {
      const record = this.#record
      collection = new Collection(this.#clock, this.#window, {
        nextRevision: () => ++this.#revision,
        record: record && ((change) => record(name, change)),
      })
      // A kind without objects in the snapshot may have had some before: its watches from then get 410, too.
      collection.history.compact(this.#restoredRevision)
      this.#collections.set(name, collection)
    }
    return collection
  }

  /**
   * Drops the history of every kind, as the compaction of etcd does every few minutes; continue tokens and watches from
   * older revisions get 410.
   */
  compact(): void {
    for (const collection of this.#collections.values()) collection.history.compact(this.#revision)
  }
}
