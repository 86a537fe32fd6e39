/**
 * JSON path as in kubectl, for readiness checks and exports. A path is compiled once; it returns values of the document, not copies.
 * Templates (text around the braces, `range` and `end`) are refused.
 */
import { CarabinerError, type Json } from '../../runtime/index.ts'
import { evaluate } from './evaluate.ts'
import { parse, SyntaxProblem } from './parse.ts'

export interface JsonPath {
  readonly text: string
  /** All values of the path, in document order; empty when a step is missing. */
  find(document: Json): readonly Json[]
}

/** Throws `CRB_JSONPATH_INVALID` with the path and the position of the error. The leading dot and the braces are optional. */
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
