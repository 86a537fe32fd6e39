/**
 * All objects of one kind, ordered by key (`namespace/name` or `name`), with their history and whoever follows them. Knows nothing
 * of versions of the API, of users or of rules: it keeps what it is given.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { ApiObject } from '../object.ts'
import { withMetadata } from '../object.ts'
import { type Change, History, type Window } from './history.ts'
import { share } from './share.ts'
import { Stored } from './stored.ts'

export type Follower = (change: Change) => void

export class Collection {
  readonly history: History
  readonly #clock: Clock
  readonly #nextRevision: () => number
  readonly #objects = new Map<string, Stored>()
  readonly #followers = new Set<Follower>()
  #keys: string[] = []
  #unsorted: string[] = []
  #removed = new Set<string>()
  #lastRevision = 0
  readonly #untold: Change[] = []
  #telling = false
  #latest: Stored | undefined

  constructor(clock: Clock, window: Window, nextRevision: () => number) {
    this.#clock = clock
    this.#nextRevision = nextRevision
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

  /** Keeps a new object or a new version of one; an equal object keeps its version and nobody hears of it. */
  put(key: string, object: ApiObject): Stored {
    const previous = this.#objects.get(key)
    if (previous !== undefined) {
      const candidate = withMetadata(object, { resourceVersion: previous.object.metadata.resourceVersion })
      const same = share(previous.object, candidate)
      if (same === previous.object) return previous
      return this.#keep(key, same, previous)
    }
    if (!this.#removed.delete(key)) this.#unsorted.push(key)
    return this.#keep(key, object, undefined)
  }

  #keep(key: string, object: ApiObject, previous: Stored | undefined): Stored {
    const revision = this.#nextRevision()
    // Objects of one kind are mostly alike (the pods of one template, say): what the latest one has in common is kept once.
    const lean = share(this.#latest?.object, withMetadata(object, { resourceVersion: String(revision) }))
    const stored = new Stored(lean, revision)
    this.#latest = stored
    this.#objects.set(key, stored)
    this.#announce({ revision, key, current: stored, previous, at: this.#clock.now() })
    return stored
  }

  /** Takes objects of another collection over, in the versions they have there. Nobody hears of it before `tellAll`. */
  restore(objects: Iterable<readonly [string, Stored]>): void {
    for (const [key, stored] of objects) {
      this.#objects.set(key, stored)
      this.#unsorted.push(key)
    }
  }

  /** Followers hear of everything that is there as of new objects. */
  tellAll(): void {
    const at = this.#clock.now()
    for (const [key, current] of [...this.range('')])
      this.#announce({ revision: current.revision, key, current, previous: undefined, at })
  }

  /** The object as it was last, carrying the revision of its deletion. */
  delete(key: string): Stored | undefined {
    const previous = this.#objects.get(key)
    if (previous === undefined) return undefined
    const revision = this.#nextRevision()
    const last = new Stored(withMetadata(previous.object, { resourceVersion: String(revision) }), revision)
    this.#objects.delete(key)
    this.#removed.add(key)
    this.#announce({ revision, key, current: undefined, previous, deleted: last, at: this.#clock.now() })
    return last
  }

  /** A follower may write to this collection itself: its change is told to everybody after the one at hand. */
  #announce(change: Change): void {
    this.#lastRevision = change.revision
    this.history.append(change)
    this.#untold.push(change)
    if (this.#telling) return
    this.#telling = true
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        for (const follower of this.#followers) follower(next)
      }
    } finally {
      this.#telling = false
    }
  }

  /** Calls `follower` with every change from now on, in order; the returned function ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
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

  /** The objects as they were at `revision`; undefined when that is forgotten. */
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
