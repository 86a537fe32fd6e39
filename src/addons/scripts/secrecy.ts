/**
 * What may be told of failures that have to do with secrets: servers repeat the object they cannot read, and jq the values it stumbled over.
 */
const hidden = 'what it says is not shown, for it may repeat parts of the secret'

/** By kind, plural or singular, as hooks write it. */
export function isSecret(kind: string): boolean {
  return /^secrets?$/i.test(kind)
}

/** Why a filter failed for an object of this kind. */
export function filterFailure(kind: string, error: unknown): string {
  if (isSecret(kind)) return hidden
  return error instanceof Error ? error.message : String(error)
}
