/**
 * JSON path as kubectl speaks it, for readiness checks and exports. A path is compiled once and asked often; what it finds are values of
 * the document, never copies. Templates (text around the braces, `range` and `end`) are no paths and are refused.
 */
import { CarabinerError } from '../../runtime/errors.ts'
import type { Json } from '../../runtime/json.ts'
import { evaluate } from './evaluate.ts'
import { parse, SyntaxProblem } from './parse.ts'

export interface JsonPath {
  readonly text: string
  /** Everything the path leads to, in document order; nothing when a step of it is not there. */
  find(document: Json): readonly Json[]
}

/** Throws `CRB_JSONPATH_INVALID` naming the path and where it cannot be read. The leading dot and the braces may be left out. */
export function compileJsonPath(text: string): JsonPath {
  try {
    const steps = parse(text)
    return { text, find: (document) => evaluate(steps, document, text) }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    throw new CarabinerError(
      'CRB_JSONPATH_INVALID',
      `JSON path "${text}": ${error.message} at character ${error.at + 1}.`,
    )
  }
}
