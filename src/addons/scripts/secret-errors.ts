/** Redacts errors about Secrets: API servers quote the object they refuse, and jq the values that caused an error. */
const hiddenMessage = 'the message is not shown because it may contain parts of the Secret'

/** `kind` is the kind or plural as written by the hook. */
export function isSecret(kind: string): boolean {
  return /^secrets?$/i.test(kind)
}

/** The error of a filter for an object of this kind. */
export function filterFailure(kind: string, error: unknown): string {
  if (isSecret(kind)) return hiddenMessage
  return error instanceof Error ? error.message : String(error)
}
