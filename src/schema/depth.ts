/** The limit of nesting, so that no value exhausts the stack. */
import { CarabinerError } from '../runtime/index.ts'

export const maxDepth = 1000

export function checkDepth(depth: number): void {
  if (depth > maxDepth) {
    throw new CarabinerError('CRB_SCHEMA_INVALID', `the value is nested deeper than ${maxDepth} levels`)
  }
}
