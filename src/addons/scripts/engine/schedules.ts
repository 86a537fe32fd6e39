/**
 * All schedules with one timer. Entries with the same crontab share a schedule, and each gets its own call. The wall clock may be changed:
 * it is checked at least once a minute, a jump forward fires missed schedules once, and a jump backward does not repeat recent calls.
 */
import { parse, type Schedule } from '../../../cron/index.ts'
import type { Clock, Instant, Timer } from '../../../runtime/index.ts'

interface Entry {
  schedule: Schedule
  /** The time of registration. */
  anchor: Instant
  readonly calls: { readonly order: number; readonly fire: () => void }[]
  next: Instant | undefined
  last: Instant
}

/** The maximum time between checks of the wall clock. */
const clockCheckMs = 60_000

export class Schedules {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #added = 0
  #timer: Timer | undefined
  #isStopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Calls `fire` at the times of the schedule, until the returned function is called. Entries due at the same time are called in the order
   * they were added.
   */
  add(crontab: string, fire: () => void): () => void {
    const call = { order: this.#added++, fire }
    const known = this.#entries.get(crontab)
    if (known !== undefined) {
      known.calls.push(call)
      return () => this.#remove(crontab, call)
    }
    const now = this.#clock.now()
    const schedule = parse(crontab, { anchor: now })
    this.#entries.set(crontab, { schedule, anchor: now, calls: [call], next: schedule.next(now), last: now })
    this.#arm()
    return () => this.#remove(crontab, call)
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #remove(crontab: string, call: Entry['calls'][number]): void {
    const entry = this.#entries.get(crontab)
    const at = entry?.calls.indexOf(call) ?? -1
    if (entry === undefined || at === -1) return
    entry.calls.splice(at, 1)
    if (entry.calls.length === 0) this.#entries.delete(crontab)
  }

  #arm(): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    const now = this.#clock.now()
    let delay = Number.POSITIVE_INFINITY
    for (const { next } of this.#entries.values()) if (next !== undefined) delay = Math.min(delay, next - now)
    if (delay === Number.POSITIVE_INFINITY) return
    this.#timer = this.#clock.after(Math.min(clockCheckMs, Math.max(0, delay)), () => this.#fireDue())
  }

  #fireDue(): void {
    const now = this.#clock.now()
    const due: Entry[] = []
    for (const entry of this.#entries.values()) {
      const { next } = entry
      if (next === undefined) continue
      if (next <= now) {
        due.push(entry)
        entry.last = now
        entry.next = entry.schedule.next(now)
      } else if (next - now > clockCheckMs) rescheduleAfterClockChange(entry, now)
    }
    const calls = due.flatMap((entry) => entry.calls).sort((one, other) => one.order - other.order)
    for (const { fire } of calls) fire()
    this.#arm()
  }
}

/** Recomputes the next time after the clock was set back, without repeating a recent call. */
function rescheduleAfterClockChange(entry: Entry, now: Instant): void {
  if (now < entry.anchor) {
    entry.anchor = now
    entry.schedule = parse(entry.schedule.text, { anchor: now })
  }
  const isRepeated = entry.last > now && entry.last - now < clockCheckMs
  entry.next = entry.schedule.next(isRepeated ? entry.last : now)
}
