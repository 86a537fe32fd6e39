/**
 * The error of this room. Its code distinguishes a malformed patch, which fits no document, from a patch that does not fit
 * this document.
 */
import { CarabinerError } from '../runtime/index.ts'

export interface PatchLocation {
  /** Index of the operation in a JSON Patch. */
  readonly operation?: number
  /** JSON pointer the error is about. */
  readonly pointer?: string
}

export class PatchError extends CarabinerError {
  readonly operation: number | undefined
  readonly pointer: string | undefined

  constructor(code: 'CRB_PATCH_MALFORMED' | 'CRB_PATCH_FAILED', message: string, place: PatchLocation = {}) {
    super(code, message)
    this.name = 'PatchError'
    this.operation = place.operation
    this.pointer = place.pointer
  }
}

/** A document with deeper nesting is rejected, well before the stack overflows. */
export const maxDepth = 1000

export function tooDeep(): PatchError {
  return new PatchError('CRB_PATCH_MALFORMED', `the document is nested deeper than ${maxDepth} levels`)
}
