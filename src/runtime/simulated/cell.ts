/**
 * One simulated process, as the simulation sees it. Results from outside arrive through `deliver`. After `halt`, no timer and no delivery of
 * the process fires; parts connected to it are notified through `onHalt`.
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
  /** Milliseconds by which the wall clock was set forward (negative: back). */
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

  /** Resolves with `produce()` in a later turn at the same virtual time; never after `halt`. */
  deliver<T>(produce: () => T | PromiseLike<T>): Promise<T> {
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

  /** Registers a pending operation for the message of a stuck simulation; the returned function unregisters it. */
  wait(what: string): () => void {
    if (this.#halted) return () => undefined
    const id = this.#waitCount++
    this.#waits.set(id, what)
    return () => void this.#waits.delete(id)
  }

  /** Calls `ending` when the cell is halted, at once if it already is; the returned function unregisters it. */
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
