/**
 * A time zone as periods of constant offset from UTC, computed with `Intl`. `Intl` is slow, so every period is computed once and
 * cached.
 */
import type { Instant } from '../runtime/index.ts'

const dayMs = 86_400_000
/** The span that is computed at once; changes in it are found by comparing the offset day by day. */
const chunkMs = 32 * dayMs

export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  readonly #changes = new Map<number, readonly Instant[]>()
  readonly #offsets = new Map<Instant, number>()

  /** @throws RangeError when there is no such zone */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    this.name = name
  }

  /** Milliseconds to add to an instant for its wall-clock time written as if it were UTC. */
  offsetAt(instant: Instant): number {
    const { start } = this.periodAt(instant)
    const known = this.#offsets.get(start)
    if (known !== undefined) return known
    const offset = this.#computeOffset(instant)
    this.#offsets.set(start, offset)
    return offset
  }

  /** The period around an instant; it ends at a change of the offset or at the end of the chunk. */
  periodAt(instant: Instant): { readonly start: Instant; readonly end: Instant } {
    const index = Math.floor(instant / chunkMs)
    let start = index * chunkMs
    for (const change of this.#changesIn(index)) {
      if (change > instant) return { start, end: change }
      start = change
    }
    return { start, end: (index + 1) * chunkMs }
  }

  #changesIn(index: number): readonly Instant[] {
    const known = this.#changes.get(index)
    if (known !== undefined) return known
    const changes: Instant[] = []
    let at = index * chunkMs
    let offset = this.#computeOffset(at)
    for (let next = at + dayMs; next <= (index + 1) * chunkMs; next += dayMs) {
      const nextOffset = this.#computeOffset(next)
      if (nextOffset !== offset) changes.push(this.#changeBetween(at, next, offset))
      at = next
      offset = nextOffset
    }
    this.#changes.set(index, changes)
    return changes
  }

  /** The first whole second with another offset. */
  #changeBetween(from: Instant, to: Instant, offset: number): Instant {
    let before = from
    let after = to
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000
      if (this.#computeOffset(middle) === offset) before = middle
      else after = middle
    }
    return after
  }

  #computeOffset(instant: Instant): number {
    const parts = /GMT(?:([+-])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?)?$/.exec(this.#format.format(instant))
    if (parts?.[1] === undefined) return 0
    const seconds = Number(parts[2]) * 3600 + Number(parts[3] ?? 0) * 60 + Number(parts[4] ?? 0)
    return (parts[1] === '-' ? -seconds : seconds) * 1000
  }
}

/** The zone of this process. */
export function localZoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
