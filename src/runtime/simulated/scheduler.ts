/**
 * Virtual time. Whatever is due at the same moment happens in an order drawn from the seed; when nothing is runnable, time jumps to the next
 * timer. It knows nothing about what the timers are for.
 */
import { CarabinerError } from '../errors.ts'
import type { Random } from '../random.ts'
import { TimerHeap } from './heap.ts'
import type { TraceRecorder } from './trace.ts'
import { Turns } from './turns.ts'

export interface Owner {
  readonly halted: boolean
}

export class Scheduler {
  /** Virtual milliseconds since the start. */
  elapsed = 0
  /** How often something was fired: what a simulation costs, whatever machine it runs on. */
  turns = 0
  readonly trace: TraceRecorder
  readonly #heap = new TimerHeap()
  readonly #lots: Random
  readonly #limit: number
  #sequence = 0
  #running = false

  constructor(lots: Random, trace: TraceRecorder, limit: number) {
    this.#lots = lots
    this.trace = trace
    this.#limit = limit
  }

  /** Calls `fire` after `delay` unless its owner is halted before; the answer cancels. */
  schedule(owner: Owner, delay: number, fire: () => void): () => void {
    let done = false
    this.#heap.push({
      due: this.elapsed + Math.max(0, delay),
      lot: this.#lots.next(),
      sequence: this.#sequence++,
      dead: () => done || owner.halted,
      fire: () => {
        done = true
        fire()
      },
    })
    return () => {
      if (done) return
      done = true
      this.#heap.cancelled()
    }
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
      // The loop below answers with it; a failure in between must not count as unhandled.
      outcome.catch(() => undefined)
      for (;;) {
        await turns.quiet()
        if (settled) return await outcome
        this.#fireNext(until, waits)
      }
    } finally {
      turns.close()
      this.#running = false
    }
  }

  #fireNext(until: number, waits: () => readonly string[]): void {
    const next = this.#heap.pop()
    if (next === undefined) throw stuck('nothing is left that could happen', waits())
    if (next.due > until) throw stuck(`not done after ${this.#limit / 1000} virtual seconds`, waits())
    this.elapsed = next.due
    this.turns++
    next.fire()
  }
}

function stuck(why: string, waits: readonly string[]): CarabinerError {
  const list =
    waits.length === 0
      ? '\n  a promise that no part of the simulation will ever settle'
      : waits.map((wait) => `\n  ${wait}`).join('')
  return new CarabinerError('CRB_SIMULATION_STUCK', `the simulation cannot end: ${why}; still waiting:${list}`)
}
