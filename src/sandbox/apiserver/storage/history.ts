/**
 * The bounded window of past changes of one kind: what watches resume from and what lists at an older version are rebuilt from.
 * Beyond it the past is gone, and the API says so with 410.
 */
import type { Clock, Instant } from '../../../runtime/clock.ts'
import type { Stored } from './stored.ts'

export interface Change {
  readonly revision: number
  readonly key: string
  /** Undefined for deletions. */
  readonly current: Stored | undefined
  /** Undefined for creations. */
  readonly previous: Stored | undefined
  /** Only for deletions: the last state, carrying the revision of the deletion. */
  readonly deleted?: Stored
  readonly at: Instant
}

export interface Window {
  /** Never more changes than this. @default 10000 */
  readonly events: number
  /** Milliseconds a change is kept for certain, unless there are too many. @default 300000 */
  readonly age: number
}

/** However old, this many changes stay: a quiet kind keeps its past. */
const kept = 100

export class History {
  #changes: Change[] = []
  #first = 0
  #forgotten = 0
  readonly #window: Window
  readonly #clock: Clock

  constructor(clock: Clock, window: Window) {
    this.#clock = clock
    this.#window = window
  }

  /** Changes up to this revision are gone. */
  get forgotten(): number {
    return this.#forgotten
  }

  append(change: Change): void {
    this.#changes.push(change)
    const now = this.#clock.now()
    while (this.#length > kept) {
      const oldest = this.#changes[this.#first]
      if (oldest === undefined) break
      if (this.#length <= this.#window.events && now - oldest.at <= this.#window.age) break
      this.#forgotten = oldest.revision
      this.#first++
    }
    if (this.#first > 1000 && this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first)
      this.#first = 0
    }
  }

  /** Forgets everything, as a compaction of the storage would. */
  compact(revision: number): void {
    while (this.#length > 0 && (this.#changes[this.#first]?.revision ?? revision + 1) <= revision) this.#first++
    this.#forgotten = Math.max(this.#forgotten, revision)
  }

  /** Changes after `revision`, oldest first; undefined when some of them are forgotten. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined
    let low = this.#first
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return this.#changes.slice(low)
  }

  get #length(): number {
    return this.#changes.length - this.#first
  }
}
