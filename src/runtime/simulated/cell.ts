/**
 * One simulated process, as its parts see it: when halted, nothing of it happens any more. Every answer from outside comes through
 * `deliver`, and whoever is connected to it learns of its end through `onHalt`.
 */
import type { Instant } from '../clock.ts'
import type { Scheduler } from './scheduler.ts'

export class Cell {
  readonly name: string
  readonly scheduler: Scheduler
  /** Wall-clock time at which the simulation began. */
  readonly start: Instant
  readonly #waits = new Map<number, string>()
  readonly #endings = new Set<() => void>()
  #waitCount = 0
  #halted = false
  /** What someone set the wall clock forward (or back) by. */
  skew = 0

  constructor(name: string, scheduler: Scheduler, start: Instant) {
    this.name = name
    this.scheduler = scheduler
    this.start = start
  }

  get halted(): boolean {
    return this.#halted
  }

  get waits(): readonly string[] {
    return Array.from(this.#waits.values(), (wait) => `${this.name}: ${wait}`)
  }

  now(): Instant {
    return this.start + this.scheduler.elapsed + this.skew
  }

  record(event: string): void {
    this.scheduler.trace.add(this.scheduler.elapsed, this.name, event)
  }

  /** Resolves with `produce()` at a later turn of the same moment; never, once halted. */
  deliver<T>(produce: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.scheduler.schedule(this, 0, () => {
        try {
          resolve(produce())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Notes something that is awaited, for whoever has to explain why nothing goes on; the answer ends the note. */
  wait(what: string): () => void {
    if (this.#halted) return () => undefined
    const id = this.#waitCount++
    this.#waits.set(id, what)
    return () => void this.#waits.delete(id)
  }

  /** Calls `ending` when the cell is halted, at once if it is; the answer takes that back. */
  onHalt(ending: () => void): () => void {
    if (this.#halted) {
      ending()
      return () => undefined
    }
    this.#endings.add(ending)
    return () => void this.#endings.delete(ending)
  }

  halt(): void {
    if (this.#halted) return
    this.#halted = true
    this.record('halt')
    for (const ending of this.#endings) ending()
    this.#endings.clear()
    this.#waits.clear()
  }
}
