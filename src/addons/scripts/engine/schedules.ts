/**
 * One timer for all schedules. Equal texts fire together; each entry of each hook still gets its own. The wall clock may be set: the timer looks
 * at it at least once a minute, a jump forward fires once what it passed, and a jump back does not fire again what has fired just before.
 */
import { parse, type Schedule } from '../../../cron/index.ts'
import type { Clock, Instant, Timer } from '../../../runtime/clock.ts'

interface Entry {
  schedule: Schedule
  /** When it was registered, by the clock as it is now. */
  anchor: Instant
  readonly calls: { readonly order: number; readonly fire: () => void }[]
  next: Instant | undefined
  last: Instant
}

/** Milliseconds after which the wall clock is looked at again, whatever is due. */
const glance = 60_000

export class Schedules {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #added = 0
  #timer: Timer | undefined
  #isStopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** From now on calls `fire` whenever the schedule says so, until what is returned is called; those of one moment in the order they were added. */
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
    this.#timer = this.#clock.after(Math.min(glance, Math.max(0, delay)), () => this.#look())
  }

  #look(): void {
    const now = this.#clock.now()
    const due: Entry[] = []
    for (const entry of this.#entries.values()) {
      const { next } = entry
      if (next === undefined) continue
      if (next <= now) {
        due.push(entry)
        entry.last = now
        entry.next = entry.schedule.next(now)
      } else if (next - now > glance) reconsider(entry, now)
    }
    const calls = due.flatMap((entry) => entry.calls).sort((one, other) => one.order - other.order)
    for (const { fire } of calls) fire()
    this.#arm()
  }
}

/** The clock may have been set back: then something is due earlier than it was thought, but not what fired a moment ago. */
function reconsider(entry: Entry, now: Instant): void {
  if (now < entry.anchor) {
    entry.anchor = now
    entry.schedule = parse(entry.schedule.text, { anchor: now })
  }
  const isRepeated = entry.last > now && entry.last - now < glance
  entry.next = entry.schedule.next(isRepeated ? entry.last : now)
}
