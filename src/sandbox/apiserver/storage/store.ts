/**
 * Everything the cluster remembers: one collection per kind and one revision counter for all of them.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { StorageKey } from '../resource.ts'
import { Collection } from './collection.ts'
import type { Window } from './history.ts'
import type { Stored } from './stored.ts'

/** All that is kept at one moment. Objects are never changed in place, so that it costs next to nothing and may be shared. */
export interface StoreState {
  readonly revision: number
  readonly collections: ReadonlyMap<string, readonly (readonly [string, Stored])[]>
}

export class Store {
  readonly #clock: Clock
  readonly #window: Window
  readonly #collections = new Map<string, Collection>()
  #revision = 1

  constructor(clock: Clock, window: Window) {
    this.#clock = clock
    this.#window = window
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

  /** Goes on from there, without the past: watches from versions before it get 410. The store is to be empty. */
  restore({ revision, collections }: StoreState): void {
    this.#revision = revision
    for (const [name, objects] of collections) this.#named(name).restore(objects)
    for (const name of collections.keys()) this.#named(name).tellAll()
    this.compact()
  }

  #named(name: string): Collection {
    let collection = this.#collections.get(name)
    if (collection === undefined) {
      collection = new Collection(this.#clock, this.#window, () => ++this.#revision)
      this.#collections.set(name, collection)
    }
    return collection
  }

  /** Forgets the past of every kind, as the real storage does every few minutes; open lists and old watches get 410. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.history.compact(this.#revision)
  }
}
