/** What follows when a reconcile rejects. */
import { ApiError, isConflict, isNamespaceEnding } from '../errors.ts'
import { TerminalError } from './result.ts'

type Failure =
  /** The object changed after it was read from the cache: expected, and over when the cache shows the change. */
  | { readonly kind: 'conflict' }
  /** Nothing can be created in a terminating namespace; the deletion of the key's object follows. */
  | { readonly kind: 'namespace-terminating' }
  | { readonly kind: 'terminal' }
  /** The server asked to wait. */
  | { readonly kind: 'retry-after'; readonly ms: number }
  | { readonly kind: 'failed' }

export function failureOf(error: unknown): Failure {
  if (isConflict(error)) return { kind: 'conflict' }
  if (isNamespaceEnding(error)) return { kind: 'namespace-terminating' }
  if (error instanceof TerminalError) return { kind: 'terminal' }
  if (error instanceof ApiError && error.retryAfterSeconds !== undefined && error.retryAfterSeconds > 0)
    return { kind: 'retry-after', ms: error.retryAfterSeconds * 1000 }
  return { kind: 'failed' }
}
