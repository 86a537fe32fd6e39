/**
 * What one run may cost. Work is counted in steps: one for each call, loop turn and element looked at, more for operations that
 * build something large. Running out is an error that no `try` in the program can catch.
 */
import { JqError } from './error.ts'

export interface Limits {
  /** Units of work for one run. A step takes about 20 to 100 ns, so the default ends a runaway program within a second or two.
   * @default 10_000_000 */
  readonly steps: number
  /** Calls that may be open inside each other; calls in tail position do not count.
   * @default 10_000 */
  readonly depth: number
}

export const defaultLimits: Limits = { steps: 10_000_000, depth: 10_000 }

/** How deep a value may be nested before comparing, merging or printing refuses, as in jq. */
export const deepest = 10_000

export class Meter {
  left = 0
  depthLeft = 0
  #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  reset(): void {
    this.left = this.#limits.steps
    this.depthLeft = this.#limits.depth
  }

  /** Takes `steps` from the budget. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) this.exhausted()
  }

  exhausted(): never {
    throw new JqError(
      'limit',
      `The program used up its budget of ${this.#limits.steps} steps; it may loop for ever. Give a larger limit if it does not.`,
    )
  }

  tooDeep(cause?: unknown): never {
    throw new JqError(
      'limit',
      `The program calls itself too deeply (limit ${this.#limits.depth} open calls, or less where the stack of the machine is smaller).`,
      cause === undefined ? {} : { cause },
    )
  }
}
