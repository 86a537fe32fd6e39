/**
 * Read-your-writes: caches lag behind the API server, so a decision made before they show the own last write would repeat it. Records the
 * writes of each key and tells whether a cache still has to show one.
 */
import { type Clock, checkedMs } from '../../runtime/index.ts'
import { isBefore } from '../reflector/version.ts'
import type { ReconcileResult } from './result.ts'

interface Written {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string }
}

type Write = { readonly sinceMs: number } & (
  | { readonly verb: 'created' }
  | { readonly verb: 'updated'; readonly version: string }
  | { readonly verb: 'deleted' }
)

/**
 * A cache never shows an object that was created and deleted between two watches: a write is forgotten after this time.
 */
const defaultTimeoutMs = 30_000

export class OwnWrites {
  readonly #clock: Clock
  readonly #timeoutMs: number
  /** By key and uid. */
  readonly #writes = new Map<string, Map<string, Write>>()

  constructor(clock: Clock, timeoutMs = defaultTimeoutMs) {
    this.#clock = clock
    this.#timeoutMs = checkedMs('timeoutMs', timeoutMs)
  }

  /** `object` is the server's answer. */
  created(key: string, object: Written): void {
    this.#record(key, object, { verb: 'created', sinceMs: this.#clock.monotonic() })
  }

  /** `object` is the server's answer to an update, patch or apply. */
  updated(key: string, object: Written): void {
    const version = object.metadata.resourceVersion ?? ''
    this.#record(key, object, { verb: 'updated', version, sinceMs: this.#clock.monotonic() })
  }

  deleted(key: string, object: Written): void {
    this.#record(key, object, { verb: 'deleted', sinceMs: this.#clock.monotonic() })
  }

  /**
   * Undefined when the caches show every write of the key, else the result to return. `versionOf` gives the resourceVersion that a cache
   * has for a uid, undefined when it has no such object.
   *
   * @example const pending = writes.pending(key, () => cached.metadata.resourceVersion)
   * if (pending !== undefined) return pending
   */
  pending(key: string, versionOf: (uid: string) => string | undefined): ReconcileResult | undefined {
    const writes = this.#writes.get(key)
    if (writes === undefined) return undefined
    let longestMs = 0
    for (const [uid, write] of writes) {
      const leftMs = write.sinceMs + this.#timeoutMs - this.#clock.monotonic()
      if (leftMs <= 0 || isShown(write, versionOf(uid))) writes.delete(uid)
      else longestMs = Math.max(longestMs, leftMs)
    }
    if (writes.size === 0) this.#writes.delete(key)
    return longestMs === 0 ? undefined : { requeueAfterMs: longestMs }
  }

  forget(key: string): void {
    this.#writes.delete(key)
  }

  #record(key: string, { metadata: { uid = '' } }: Written, write: Write): void {
    const writes = this.#writes.get(key) ?? new Map<string, Write>()
    writes.set(uid, write)
    this.#writes.set(key, writes)
  }
}

function isShown(write: Write, version: string | undefined): boolean {
  switch (write.verb) {
    case 'created':
      return version !== undefined
    case 'updated':
      // An updated object that the cache does not have was deleted since.
      return version === undefined || !isBefore(version, write.version)
    case 'deleted':
      return version === undefined
  }
}
