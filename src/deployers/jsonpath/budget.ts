/**
 * The steps that JSON paths may take. Authors of items choose the path, and their servers choose the object, and together they can take
 * minutes: `..*..*..*` visits every value once for each of its ancestors. All paths of a check share one budget.
 */
import { CarabinerError, type Json } from '../../runtime/index.ts'

/** Some ten milliseconds. An object of the largest size that an API server stores has about 100,000 values. */
const maxSteps = 500_000
/** Of the values that one path finds. */
export const maxFound = 10_000

export class StepBudget {
  #left: number

  constructor(steps = maxSteps) {
    this.#left = steps
  }

  /** Throws `CRB_JSONPATH_LIMIT` when nothing is left. */
  spend(steps: number, path: string): void {
    this.#left -= steps
    if (this.#left < 0) throw limitError(path, `takes more than ${maxSteps} steps`)
  }

  /** Spends a step for each value in `value`, which is about to be compared. */
  spendOn(value: Json, path: string): void {
    const waiting: Json[] = [value]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      this.spend(1, path)
      if (next === null || typeof next !== 'object') continue
      for (const below of Object.values(next) as readonly Json[]) waiting.push(below)
    }
  }
}

export function limitError(path: string, problem: string): CarabinerError {
  return new CarabinerError('CRB_JSONPATH_LIMIT', `JSON path "${path}": ${problem} in this object.`)
}
