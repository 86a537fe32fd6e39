/**
 * One simulated process, as a test sees it: a `Runtime` for the program, and `halt` to stop it at any point.
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
  /** Stops the process like SIGKILL: no timer fires, no await continues, its connections break. */
  halt(): void
  /** Sets the wall clock forward (or back, when negative); the monotonic clock does not change. */
  jumpClock(milliseconds: number): void
  /**
   * Calls a handler as if over the network: one turn for the request, one for the answer; `halt` breaks the connection. With `server`, a
   * halt of that domain breaks it, too.
   */
  connect(handler: HttpHandler, server?: Domain): HttpHandler
  /** Applies faults to all further requests of this process. */
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
