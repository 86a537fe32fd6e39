/**
 * One simulated process, as a test sees it: a `Runtime` to hand to the program, and a switch that stops it for good, wherever it is.
 */
import type { HttpHandler } from '../http.ts'
import type { Runtime } from '../runtime.ts'
import type { Cell } from './cell.ts'
import { exchange } from './exchange.ts'
import type { FaultPlan } from './fault-plan.ts'
import { createFaults, type FaultWorld } from './faults.ts'

export interface Domain {
  readonly name: string
  readonly runtime: Runtime
  readonly halted: boolean
  /** Stops the process as `kill -9` would: no timer fires, no await goes on, its connections break. */
  halt(): void
  /** Sets the wall clock forward (or back, when negative); durations go on as before. */
  jumpClock(milliseconds: number): void
  /**
   * A handler in the same process as if it were across the network: one turn for the request, one for the answer, broken off
   * by a halt. With `server`, its halt breaks the connection as well.
   */
  connect(handler: HttpHandler, server?: Domain): HttpHandler
  /** Puts faults into every request this process sends through its HTTP client from now on. */
  inject(plan: FaultPlan): void
}

const cells = new WeakMap<Domain, Cell>()

export class SimulatedDomain implements Domain {
  readonly runtime: Runtime
  readonly #cell: Cell
  readonly #world: FaultWorld
  readonly #outside: Cell
  #prepare: (handler: HttpHandler) => HttpHandler = (handler) => handler

  constructor(
    cell: Cell,
    outside: Cell,
    world: FaultWorld,
    createRuntime: (prepare: (handler: HttpHandler) => HttpHandler) => Runtime,
  ) {
    this.#cell = cell
    this.#outside = outside
    this.#world = world
    this.runtime = createRuntime((handler) => this.#prepare(handler))
    cells.set(this, cell)
  }

  get name(): string {
    return this.#cell.name
  }

  get halted(): boolean {
    return this.#cell.halted
  }

  halt(): void {
    this.#cell.halt()
  }

  jumpClock(milliseconds: number): void {
    this.#cell.record(`clock jumps by ${milliseconds}ms`)
    this.#cell.skew += milliseconds
  }

  connect(handler: HttpHandler, server?: Domain): HttpHandler {
    const serverCell = (server && cells.get(server)) ?? this.#outside
    return (request) => exchange({ client: this.#cell, server: serverCell, handler }, request)
  }

  inject(plan: FaultPlan): void {
    const faults = createFaults(plan, this.#world)
    const before = this.#prepare
    this.#prepare = (handler) => faults(before(handler))
  }
}
