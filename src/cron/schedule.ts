/**
 * When a schedule fires. A calendar schedule fires at every instant whose wall-clock time in its zone matches: at a daylight-saving
 * change, a skipped time does not fire and a repeated time fires twice.
 */
import type { Instant } from '../runtime/index.ts'
import { type Fields, nextMatch } from './calendar.ts'
import { describeFields, describeInterval } from './describe.ts'
import type { Zone } from './zone.ts'

export interface Schedule {
  /** The original expression. */
  readonly text: string
  /** IANA name of the zone; undefined for a fixed interval, which has none. */
  readonly zone: string | undefined
  /** The first firing strictly after an instant, a whole second; undefined when there is none within five years. */
  next(after: Instant): Instant | undefined
  /** A description in words. */
  describe(): string
}

const lookAheadYears = 5

export class CalendarSchedule implements Schedule {
  readonly text: string
  readonly #fields: Fields
  readonly #zone: Zone

  constructor(text: string, fields: Fields, zone: Zone) {
    this.text = text
    this.#fields = fields
    this.#zone = zone
  }

  get zone(): string {
    return this.#zone.name
  }

  next(after: Instant): Instant | undefined {
    let at = (Math.floor(after / 1000) + 1) * 1000
    const year = new Date(at + this.#zone.offsetAt(at)).getUTCFullYear()
    const limit = Date.UTC(year + lookAheadYears + 1, 0, 1)
    for (;;) {
      const offset = this.#zone.offsetAt(at)
      const wall = nextMatch(this.#fields, at + offset, limit)
      if (wall === undefined) return undefined
      // The match is valid if the offset does not change before it; otherwise the search continues with the new offset.
      const change = this.#changeUntil(at, wall - offset, offset)
      if (change === undefined) return wall - offset
      at = change
    }
  }

  describe(): string {
    return describeFields(this.#fields, this.#zone.name)
  }

  #changeUntil(from: Instant, to: Instant, offset: number): Instant | undefined {
    for (let at = from; ; ) {
      const { end } = this.#zone.periodAt(at)
      if (end > to) return undefined
      if (this.#zone.offsetAt(end) !== offset) return end
      at = end
    }
  }
}

export class IntervalSchedule implements Schedule {
  readonly text: string
  readonly zone = undefined
  readonly #interval: number
  readonly #anchor: Instant | undefined

  /** @param interval milliseconds, whole seconds */
  constructor(text: string, interval: number, anchor: Instant | undefined) {
    this.text = text
    this.#interval = interval
    this.#anchor = anchor === undefined ? undefined : Math.floor(anchor / 1000) * 1000
  }

  next(after: Instant): Instant {
    const second = Math.floor(after / 1000) * 1000
    if (this.#anchor === undefined) return second + this.#interval
    const passed = Math.max(0, Math.floor((after - this.#anchor) / this.#interval))
    return this.#anchor + (passed + 1) * this.#interval
  }

  describe(): string {
    return describeInterval(this.#interval)
  }
}
