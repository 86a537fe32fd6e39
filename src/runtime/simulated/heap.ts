/**
 * Timers ordered by due time: a binary heap. Cancelled entries stay until they reach the top or outnumber the active ones, so
 * that cancelling is cheap.
 */
export interface Entry {
  /** Virtual milliseconds since the start of the simulation. */
  readonly due: number
  /** Orders entries that are due at the same time; drawn from the seed. */
  readonly lot: number
  /** Orders entries with equal lots. */
  readonly sequence: number
  /** True once the entry must not fire. */
  readonly dead: boolean
}

export class TimerHeap<E extends Entry> {
  #entries: E[] = []
  #cancelled = 0

  /** Number of entries, cancelled ones included. */
  get size(): number {
    return this.#entries.length
  }

  push(entry: E): void {
    const entries = this.#entries
    let index = entries.length
    entries.push(entry)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = entries[parent]
      if (above === undefined || !before(entry, above)) break
      entries[index] = above
      index = parent
    }
    entries[index] = entry
  }

  /** The active entry that is due first. */
  peek(): E | undefined {
    for (;;) {
      const first = this.#entries[0]
      if (first === undefined || !first.dead) return first
      this.#removeFirst()
      this.#cancelled = Math.max(0, this.#cancelled - 1)
    }
  }

  /** Removes and returns it. */
  pop(): E | undefined {
    const first = this.peek()
    if (first !== undefined) this.#removeFirst()
    return first
  }

  /** The active entries, in no order. */
  active(): readonly E[] {
    return this.#entries.filter((entry) => !entry.dead)
  }

  /** Must be called when an entry was cancelled. */
  cancelled(): void {
    this.#cancelled++
    if (this.#cancelled < 64 || this.#cancelled * 2 < this.#entries.length) return
    const active = this.#entries.filter((entry) => !entry.dead)
    this.#entries = []
    this.#cancelled = 0
    for (const entry of active) this.push(entry)
  }

  #removeFirst(): void {
    const first = this.#entries[0]
    const last = this.#entries.pop()
    if (last !== undefined && last !== first) this.#sink(last)
  }

  #sink(entry: E): void {
    const entries = this.#entries
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      let below = entries[child]
      if (below === undefined) break
      const right = entries[child + 1]
      if (right !== undefined && before(right, below)) {
        child++
        below = right
      }
      if (!before(below, entry)) break
      entries[index] = below
      index = child
    }
    entries[index] = entry
  }
}

function before(left: Entry, right: Entry): boolean {
  if (left.due !== right.due) return left.due < right.due
  if (left.lot !== right.lot) return left.lot < right.lot
  return left.sequence < right.sequence
}
