/**
 * JSON path as in kubectl, for readiness checks and exports. A path is compiled once; it returns values of the document, not copies.
 * Templates (text around the braces, `range` and `end`) are refused.
 */
import { CarabinerError, type Json } from '../../runtime/index.ts'
import { StepBudget } from './budget.ts'
import { evaluate } from './evaluate.ts'
import { parse, SyntaxProblem } from './parse.ts'

export interface JsonPath {
  readonly text: string
  /**
   * All values of the path, in document order; empty when a step is missing. Throws `CRB_JSONPATH_LIMIT` when the budget does not suffice.
   * @default a budget of its own
   */
  find(document: Json, budget?: StepBudget): readonly Json[]
}

/** Filters in filters are parsed recursively. */
const maxPathLength = 4_096

/** Throws `CRB_JSONPATH_INVALID` with the path and the position of the error. The leading dot and the braces are optional. */
export function compileJsonPath(text: string): JsonPath {
  if (text.length > maxPathLength)
    throw new CarabinerError(
      'CRB_JSONPATH_INVALID',
      `JSON path "${text.slice(0, 40)}…": has ${text.length} characters, more than ${maxPathLength}.`,
    )
  try {
    const steps = parse(text)
    return { text, find: (document, budget = new StepBudget()) => evaluate(steps, document, { path: text, budget }) }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    throw new CarabinerError(
      'CRB_JSONPATH_INVALID',
      `JSON path "${text}": ${error.message} at character ${error.at + 1}.`,
    )
  }
}
