/**
 * Limits the cost of an evaluation. The CEL library has no limit, so every node of a parsed expression is instrumented: each step costs
 * one unit, and constructed or compared values cost by their size. `matches` uses the linear-time engine.
 */
import type { CelValue } from './values.ts'

/** Thrown when the limit is exceeded. An expression that catches it fails at its next step. */
export class CostExceeded extends Error {
  constructor(limit: number) {
    super(`operation cancelled: actual cost limit exceeded (${limit})`)
    this.name = 'CostExceeded'
  }
}

export class Meter {
  #limit = 0
  #left = 0

  start(limit: number): void {
    this.#limit = limit
    this.#left = limit
  }

  get spent(): number {
    return this.#limit - this.#left
  }

  spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0) throw new CostExceeded(this.#limit)
  }

  /** Strings cost a tenth of their length, collections the cost of all their members. */
  weigh(value: CelValue): void {
    if (typeof value === 'string') {
      this.spend(Math.ceil(value.length / 10))
    } else if (Array.isArray(value)) {
      this.spend(value.length)
      for (const element of value) if (typeof element === 'object' || typeof element === 'string') this.weigh(element)
    } else if (value instanceof Map) {
      this.weigh([...value.values()])
    } else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      this.weigh(Object.values(value))
    }
  }
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => CelValue

/** The part of the syntax tree of the CEL library that is used here. */
interface SyntaxNode {
  readonly op: string
  readonly args: unknown
  readonly meta: {
    readonly alternate?: SyntaxNode
    readonly macro?: { readonly evaluate: Evaluate }
    readonly evaluate: Evaluate
  }
  evaluate: Evaluate
}

const weighing: ReadonlySet<string> = new Set(['==', '!=', 'in', '+', 'call', 'rcall', '<', '<=', '>', '>='])

/** Instruments a parsed expression and returns the names it uses. */
export function instrument(root: unknown, meter: Meter): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<object>()
  const walk = (value: unknown, weighed: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    if (Array.isArray(value)) {
      for (const element of value) walk(element, weighed)
      return
    }
    seen.add(value)
    if (!isSyntaxNode(value)) {
      if (Object.getPrototypeOf(value) === Object.prototype) walk(Object.values(value), false)
      return
    }
    if (value.op === 'id' && typeof value.args === 'string') names.add(value.args)
    if (value.op === 'rcall' && Array.isArray(value.args) && value.args[0] === 'matches') value.args[0] = 'matchesRe2'
    walk(value.args, weighing.has(value.op))
    walk(value.meta.alternate, weighed)
    walk(value.meta.macro, false)
    meterNode(value, meter, weighed)
  }
  walk(root, false)
  return names
}

function meterNode(node: SyntaxNode, meter: Meter, weighed: boolean): void {
  node.evaluate = (evaluator, _, context) => {
    meter.spend(1)
    const { alternate, macro, evaluate } = node.meta
    let result: CelValue
    if (alternate !== undefined) result = alternate.evaluate(evaluator, alternate, context)
    else if (macro !== undefined) result = macro.evaluate(evaluator, macro, context)
    else result = evaluate.call(node, evaluator, node, context)
    if (weighed) meter.weigh(result)
    return result
  }
}

function isSyntaxNode(value: object): value is SyntaxNode {
  return 'op' in value && 'args' in value && 'meta' in value && 'evaluate' in value
}
