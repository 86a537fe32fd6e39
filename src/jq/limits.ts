/**
 * The limits of one run. Work is counted in steps: one for each call, loop iteration and visited element, more for operations that build
 * large values. Exceeding a limit is an error that `try` does not catch.
 */
import { JqError } from './error.ts'

export interface Limits {
  /** Units of work for one run. A step takes about 20 to 100 ns, so the default ends a runaway program within a second or two.
   * @default 10_000_000 */
  readonly steps: number
  /** Maximum depth of nested calls; calls in tail position do not count.
   * @default 10_000 */
  readonly depth: number
}

export const defaultLimits: Limits = { steps: 10_000_000, depth: 10_000 }

/** Maximum nesting of a value for comparing, merging and printing, as in jq. */
export const maxValueDepth = 10_000

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

  /** Subtracts `steps` from the budget. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) this.exhausted()
  }

  exhausted(): never {
    throw new JqError(
      'limit',
      `The program used up its budget of ${this.#limits.steps} steps; it may be an endless loop. If it is not, set a larger limit.`,
    )
  }

  tooDeep(cause?: unknown): never {
    throw new JqError(
      'limit',
      `The program calls itself too deeply (limit ${this.#limits.depth} open calls, or less when the native stack is smaller).`,
      cause === undefined ? {} : { cause },
    )
  }
}
