/**
 * Virtual time. Events that are due at the same time fire in an order drawn from the seed; when nothing is runnable, time jumps to the next
 * timer.
 */
import type { Timer } from '../clock.ts'
import type { Random } from '../random.ts'
import { Budget, type BudgetLimits, type Surroundings } from './budget.ts'
import { type Entry, TimerHeap } from './heap.ts'
import type { TraceRecorder } from './trace.ts'
import { Turns } from './turns.ts'

export interface Owner {
  readonly name: string
  readonly halted: boolean
}

interface Planned {
  readonly owner: Owner
  readonly delay: number
  readonly fire: () => void
}

/** Timers of a domain that a message lists. */
const shownTimers = 3

/** A scheduled event. A class, because there may be hundreds of thousands. */
class ScheduledEvent implements Entry, Timer {
  readonly due: number
  readonly lot: number
  readonly sequence: number
  readonly #heap: TimerHeap<ScheduledEvent>
  /** The time between scheduling and `due`. */
  readonly delay: number
  readonly owner: Owner
  readonly #fire: () => void
  #done = false

  constructor(
    heap: TimerHeap<ScheduledEvent>,
    { owner, delay, fire }: Planned,
    { due, lot, sequence }: Omit<Entry, 'dead'>,
  ) {
    this.#heap = heap
    this.owner = owner
    this.delay = delay
    this.due = due
    this.lot = lot
    this.sequence = sequence
    this.#fire = fire
  }

  get dead(): boolean {
    return this.#done || this.owner.halted
  }

  fire(): void {
    this.#done = true
    this.#fire()
  }

  cancel(): void {
    if (this.#done) return
    this.#done = true
    this.#heap.cancelled()
  }
}

export class Scheduler {
  /** Virtual milliseconds since the start. */
  elapsed = 0
  /** Number of fired events: the cost of a simulation, independent of the machine. */
  turns = 0
  readonly trace: TraceRecorder
  readonly #heap = new TimerHeap<ScheduledEvent>()
  readonly #lots: Random
  readonly #held = new Set<Promise<unknown>>()
  #sequence = 0
  #running = false

  constructor(lots: Random, trace: TraceRecorder) {
    this.#lots = lots
    this.trace = trace
  }

  /** Calls `fire` after `delay`, unless it is cancelled or its owner is halted before. */
  schedule(owner: Owner, delay: number, fire: () => void): Timer {
    const place = { due: this.elapsed + Math.max(0, delay), lot: this.#lots.next(), sequence: this.#sequence++ }
    const event = new ScheduledEvent(this.#heap, { owner, delay, fire }, place)
    this.#heap.push(event)
    return event
  }

  /** Stops virtual time until `work` has settled; for asynchronous work outside the simulation. */
  hold<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => void this.#held.delete(settled),
      () => void this.#held.delete(settled),
    )
    this.#held.add(settled)
    return work
  }

  async run<T>(main: () => Promise<T>, limits: BudgetLimits, surroundings: Surroundings): Promise<T> {
    if (this.#running) throw new TypeError('the simulation runs already: await inside the one run')
    this.#running = true
    const turns = new Turns()
    const budget = new Budget(this, limits, surroundings)
    try {
      let settled = false
      const outcome = Promise.resolve()
        .then(main)
        .finally(() => {
          settled = true
        })
      // The loop below returns it; a failure before that must not count as an unhandled rejection.
      outcome.catch(() => undefined)
      for (;;) {
        await turns.quiet()
        if (settled) return await outcome
        if (this.#held.size > 0) await Promise.all(this.#held)
        else this.#fireNext(budget)
      }
    } finally {
      turns.close()
      this.#running = false
    }
  }

  /** The timers that are set, the next one first; of a domain with many of them only their number. */
  timers(): readonly string[] {
    const byOwner = new Map<string, number[]>()
    for (const { owner, delay } of this.#heap.active().toSorted((one, other) => one.due - other.due)) {
      // What is due at once is no timer but an answer or a result under way.
      if (delay > 0) byOwner.set(owner.name, [...(byOwner.get(owner.name) ?? []), delay])
    }
    return Array.from(byOwner, ([name, delays]) => {
      const shown = delays.slice(0, shownTimers).map((delay) => `${delay} ms`)
      const more = delays.length > shownTimers ? ` and ${delays.length - shownTimers} more` : ''
      return `${name}: timer of ${shown.join(', ')}${more}`
    })
  }

  #fireNext(budget: Budget): void {
    budget.check(this.#heap.peek()?.due)
    const next = this.#heap.pop()
    if (next === undefined) return
    this.elapsed = next.due
    this.turns++
    next.fire()
  }
}
