/**
 * Two accounts of the same changes: what happened on the server and what the cache told. Lost is what only the first has, doubled what
 * the second has more often.
 */
import type { CacheChange } from '../../../src/kube/reflector/cache.ts'
import type { Storage } from './storage.ts'

/** What the reflector keeps of an object in these tests. */
export interface Kept {
  readonly version: string
}

export class Ledger {
  readonly #expected = new Map<string, number>()
  readonly #told = new Map<string, number>()
  #sent = 0

  /** Everything the storage holds is to be told as added, and from now on every change. */
  follow(storage: Storage): void {
    for (const [name, { metadata }] of storage.objects) this.#expect('added', name, metadata.resourceVersion)
    this.followChanges(storage)
  }

  followChanges(storage: Storage): void {
    const versions = new Map([...storage.objects].map(([name, { metadata }]) => [name, metadata.resourceVersion]))
    storage.subscribe(({ type, object }) => {
      const { name, resourceVersion } = object.metadata
      if (type === 'DELETED') this.#expect('deleted', name, versions.get(name))
      else this.#expect(type === 'ADDED' ? 'added' : 'updated', name, resourceVersion)
      versions.set(name, resourceVersion)
    })
  }

  /** The storage is another one: the difference is to be told. */
  followInstead(before: Storage, after: Storage): void {
    for (const [name, { metadata }] of before.objects) {
      if (!after.objects.has(name)) this.#expect('deleted', name, metadata.resourceVersion)
    }
    for (const [name, { metadata }] of after.objects) {
      this.#expect(before.objects.has(name) ? 'updated' : 'added', name, metadata.resourceVersion)
    }
  }

  readonly hear = (change: CacheChange<Kept>): void => {
    const { version } = change.type === 'deleted' ? change.previous : change.value
    count(this.#told, `${change.type} ${change.key} ${version}`)
  }

  get sent(): number {
    return this.#sent
  }

  get lost(): number {
    return surplus(this.#expected, this.#told)
  }

  /** What was told twice in the same words, whatever happened on the server. */
  get repeated(): number {
    let sum = 0
    for (const times of this.#told.values()) sum += times - 1
    return sum
  }

  get doubled(): number {
    return surplus(this.#told, this.#expected)
  }

  #expect(type: string, name: string, version: string | undefined): void {
    this.#sent++
    count(this.#expected, `${type} faults/${name} ${version}`)
  }
}

function count(entries: Map<string, number>, entry: string): void {
  entries.set(entry, (entries.get(entry) ?? 0) + 1)
}

function surplus(entries: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [entry, times] of entries) sum += Math.max(0, times - (other.get(entry) ?? 0))
  return sum
}
