/** The current position in the document, as a linked list: a pointer is built only for an error message. */
import { PatchError } from '../errors.ts'
import { formatPointer } from '../pointer.ts'

export interface Place {
  readonly parent: Place | undefined
  readonly token: string
  readonly depth: number
}

export function below(parent: Place | undefined, token: string): Place {
  return { parent, token, depth: (parent?.depth ?? 0) + 1 }
}

export function pointerOf(place: Place | undefined): string {
  const tokens: string[] = []
  for (let at = place; at !== undefined; at = at.parent) tokens.unshift(at.token)
  return formatPointer(tokens)
}

export function malformed(place: Place | undefined, what: string): PatchError {
  return strategicError('CRB_PATCH_MALFORMED', place, what)
}

export function unfit(place: Place | undefined, what: string): PatchError {
  return strategicError('CRB_PATCH_FAILED', place, what)
}

function strategicError(code: 'CRB_PATCH_MALFORMED' | 'CRB_PATCH_FAILED', place: Place | undefined, what: string) {
  const pointer = pointerOf(place)
  return new PatchError(code, `strategic merge patch at ${pointer === '' ? 'the document' : pointer}: ${what}`, {
    pointer,
  })
}
