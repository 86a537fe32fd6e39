/**
 * Compares the changes on the server with the changes the cache reported. Lost changes are missing in the cache, doubled ones were reported
 * more often.
 */
import type { CacheChange } from '../../../src/kube/reflector/cache.ts'
import type { Storage } from './storage.ts'

/** The projection of the reflector in these tests. */
export interface Kept {
  readonly version: string
}

export class Ledger {
  readonly #expected = new Map<string, number>()
  readonly #reported = new Map<string, number>()
  #sent = 0

  /** Expects all objects of the storage as added, and every later change. */
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

  /** The storage was replaced: expects the differences. */
  followInstead(before: Storage, after: Storage): void {
    for (const [name, { metadata }] of before.objects) {
      if (!after.objects.has(name)) this.#expect('deleted', name, metadata.resourceVersion)
    }
    for (const [name, { metadata }] of after.objects) {
      this.#expect(before.objects.has(name) ? 'updated' : 'added', name, metadata.resourceVersion)
    }
  }

  readonly report = (change: CacheChange<Kept>): void => {
    const { version } = change.type === 'deleted' ? change.previous : change.value
    count(this.#reported, `${change.type} ${change.key} ${version}`)
  }

  get sent(): number {
    return this.#sent
  }

  get lost(): number {
    return surplus(this.#expected, this.#reported)
  }

  /** Changes that were reported twice identically. */
  get repeated(): number {
    let sum = 0
    for (const times of this.#reported.values()) sum += times - 1
    return sum
  }

  get doubled(): number {
    return surplus(this.#reported, this.#expected)
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
