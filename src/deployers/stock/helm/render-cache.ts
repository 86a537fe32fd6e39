/**
 * The rendered charts of runs under way, so that helm is not called again each time a run checks its pods. The least recently used
 * charts are dropped when the cache is full, and then rendered again.
 */
import type { Rendered } from './render.ts'

/** The size of all cached charts together; a rendered chart has a few 10,000 characters. */
const defaultMaxCachedChars = 32 * 1024 * 1024

interface Entry {
  readonly run: string
  readonly rendered: Rendered
}

export class RenderCache {
  readonly #maxCachedChars: number
  /** By uid of the item, the least recently used first. */
  readonly #entries = new Map<string, Entry>()
  #cachedChars = 0

  constructor(maxCachedChars = defaultMaxCachedChars) {
    this.#maxCachedChars = maxCachedChars
  }

  /** Undefined when nothing is cached for this run of the item. */
  get(uid: string, run: string): Rendered | undefined {
    const entry = this.#entries.get(uid)
    return entry?.run === run ? entry.rendered : undefined
  }

  set(uid: string, run: string, rendered: Rendered): void {
    this.delete(uid)
    if (rendered.length > this.#maxCachedChars) return
    this.#entries.set(uid, { run, rendered })
    this.#cachedChars += rendered.length
    for (const oldest of this.#entries.keys()) {
      if (this.#cachedChars <= this.#maxCachedChars) return
      this.delete(oldest)
    }
  }

  delete(uid: string): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined) return
    this.#entries.delete(uid)
    this.#cachedChars -= entry.rendered.length
  }
}
