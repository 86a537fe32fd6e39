/**
 * Virtual time. Events that are due at the same time fire in an order drawn from the seed; when nothing is runnable, time jumps to the next
 * timer.
 */
import type { Timer } from '../clock.ts'
import { CarabinerError } from '../errors.ts'
import type { Random } from '../random.ts'
import { type Entry, TimerHeap } from './heap.ts'
import type { TraceRecorder } from './trace.ts'
import { Turns } from './turns.ts'

export interface Owner {
  readonly halted: boolean
}

/** A scheduled event. A class, because there may be hundreds of thousands. */
class ScheduledEvent implements Entry, Timer {
  readonly due: number
  readonly lot: number
  readonly sequence: number
  readonly #heap: TimerHeap<ScheduledEvent>
  readonly #owner: Owner
  readonly #fire: () => void
  #done = false

  constructor(
    heap: TimerHeap<ScheduledEvent>,
    owner: Owner,
    due: number,
    lot: number,
    sequence: number,
    fire: () => void,
  ) {
    this.#heap = heap
    this.#owner = owner
    this.due = due
    this.lot = lot
    this.sequence = sequence
    this.#fire = fire
  }

  get dead(): boolean {
    return this.#done || this.#owner.halted
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
  readonly #limit: number
  readonly #held = new Set<Promise<unknown>>()
  #sequence = 0
  #running = false

  constructor(lots: Random, trace: TraceRecorder, limit: number) {
    this.#lots = lots
    this.trace = trace
    this.#limit = limit
  }

  /** Calls `fire` after `delay`, unless it is cancelled or its owner is halted before. */
  schedule(owner: Owner, delay: number, fire: () => void): Timer {
    const event = new ScheduledEvent(
      this.#heap,
      owner,
      this.elapsed + Math.max(0, delay),
      this.#lots.next(),
      this.#sequence++,
      fire,
    )
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

  async run<T>(main: () => Promise<T>, waits: () => readonly string[]): Promise<T> {
    if (this.#running) throw new TypeError('the simulation runs already: await inside the one run')
    this.#running = true
    const turns = new Turns()
    const until = this.elapsed + this.#limit
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
        else this.#fireNext(until, waits)
      }
    } finally {
      turns.close()
      this.#running = false
    }
  }

  #fireNext(until: number, waits: () => readonly string[]): void {
    const next = this.#heap.pop()
    if (next === undefined)
      throw stuck('no event is scheduled', waits(), 'a promise that no part of the simulation settles')
    if (next.due > until)
      throw stuck(`not finished after ${this.#limit / 1000} virtual seconds`, waits(), 'only timers')
    this.elapsed = next.due
    this.turns++
    next.fire()
  }
}

function stuck(why: string, waits: readonly string[], otherwise: string): CarabinerError {
  const list = (waits.length === 0 ? [otherwise] : waits).map((wait) => `\n  ${wait}`).join('')
  return new CarabinerError('CRB_SIMULATION_STUCK', `the simulation cannot finish: ${why}; pending:${list}`)
}
