/**
 * Everything the cluster remembers: one collection per kind and one revision counter for all of them.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { StorageKey } from '../resource.ts'
import { Collection } from './collection.ts'
import type { Window } from './history.ts'

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
    const name = `${group}/${resource}`
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
