/**
 * Classifies a failed list or watch. Only two failures need a new list: the server no longer has the version, or never had it.
 */
import { ApiError } from '../errors.ts'
import type { Status } from '../object.ts'

export type Failure =
  /** The version is older than the server remembers: 410. */
  | { readonly kind: 'expired' }
  /** The version is newer than the server's newest: its storage was replaced. */
  | { readonly kind: 'rewound' }
  /** The server returned another error; `retryAfter` is the time it asks to wait in milliseconds. */
  | {
      readonly kind: 'refused'
      readonly code: number
      readonly retryAfter: number | undefined
      readonly message: string
    }
  /** The server sent nothing for too long. */
  | { readonly kind: 'silent' }
  /** The connection broke, or the data is malformed. */
  | { readonly kind: 'broken'; readonly message: string }

export function failureOfStatus(status: Status, retryAfterSeconds = status.details?.retryAfterSeconds): Failure {
  const { code = 500, reason, message = '', details } = status
  if (code === 410 || reason === 'Expired' || reason === 'Gone') return { kind: 'expired' }
  const tooLarge = details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false
  if (tooLarge || message.includes('Too large resource version')) return { kind: 'rewound' }
  return {
    kind: 'refused',
    code,
    retryAfter: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000,
    message,
  }
}

export function failureOfError(error: unknown): Failure {
  if (error instanceof ApiError) {
    return failureOfStatus({ ...error.status, code: error.httpStatus }, error.retryAfterSeconds)
  }
  return { kind: 'broken', message: error instanceof Error ? error.message : String(error) }
}
