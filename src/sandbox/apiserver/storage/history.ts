/**
 * The history window of one kind: watches resume from it and lists at an older revision are rebuilt from it. Revisions
 * outside the window get 410.
 */
import type { Clock, Instant } from '../../../runtime/index.ts'
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

export interface HistoryWindow {
  /**
   * Maximum number of changes.
   * @default 10000
   */
  readonly maxChanges: number
  /**
   * How long a change is kept, unless `maxChanges` is reached.
   * @default 300000
   */
  readonly maxAgeMs: number
}

/** This many changes are kept at any age, so that a kind with few changes keeps its history. */
const minRetainedChanges = 100

export class History {
  #changes: Change[] = []
  #first = 0
  #droppedRevision = 0
  readonly #window: HistoryWindow
  readonly #clock: Clock

  constructor(clock: Clock, window: HistoryWindow) {
    this.#clock = clock
    this.#window = window
  }

  /** Changes up to this revision are dropped. */
  get droppedRevision(): number {
    return this.#droppedRevision
  }

  append(change: Change): void {
    this.#changes.push(change)
    const now = this.#clock.now()
    while (this.#length > minRetainedChanges) {
      const oldest = this.#changes[this.#first]
      if (oldest === undefined) break
      if (this.#length <= this.#window.maxChanges && now - oldest.at <= this.#window.maxAgeMs) break
      this.#droppedRevision = oldest.revision
      this.#first++
    }
    if (this.#first > 1000 && this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first)
      this.#first = 0
    }
  }

  /** Drops all changes, as a compaction of etcd does. */
  compact(revision: number): void {
    while (this.#length > 0 && (this.#changes[this.#first]?.revision ?? revision + 1) <= revision) this.#first++
    this.#droppedRevision = Math.max(this.#droppedRevision, revision)
  }

  /** Changes after `revision`, oldest first; undefined when some of them are dropped. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#droppedRevision) return undefined
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
