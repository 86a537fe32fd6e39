/** The current position in the document, as a linked list: a pointer is built only for an error message. */
import { PatchError } from '../errors.ts'
import { formatPointer } from '../pointer.ts'

export interface Location {
  readonly parent: Location | undefined
  readonly token: string
  readonly depth: number
}

export function below(parent: Location | undefined, token: string): Location {
  return { parent, token, depth: (parent?.depth ?? 0) + 1 }
}

export function pointerOf(location: Location | undefined): string {
  const tokens: string[] = []
  for (let at = location; at !== undefined; at = at.parent) tokens.unshift(at.token)
  return formatPointer(tokens)
}

export function malformed(location: Location | undefined, what: string): PatchError {
  return strategicError('CRB_PATCH_MALFORMED', location, what)
}

export function unfit(location: Location | undefined, what: string): PatchError {
  return strategicError('CRB_PATCH_FAILED', location, what)
}

function strategicError(
  code: 'CRB_PATCH_MALFORMED' | 'CRB_PATCH_FAILED',
  location: Location | undefined,
  what: string,
) {
  const pointer = pointerOf(location)
  return new PatchError(code, `strategic merge patch at ${pointer === '' ? 'the document' : pointer}: ${what}`, {
    pointer,
  })
}
