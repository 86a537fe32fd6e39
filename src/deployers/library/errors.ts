/**
 * Errors of a deployer in the fields of the Landscaper contract: operation, reason, message and codes. They become `status.lastError` and a
 * warning event; an unrecoverable code fails the item at once.
 */
import type { LandscaperErrorCode } from '../resources/types.ts'

export interface LandscaperErrorDetails {
  readonly codes?: readonly LandscaperErrorCode[]
  /** Milliseconds before which a retry cannot succeed. @default 0 */
  readonly retryAfterMs?: number
  /** The item waits for an object that someone else creates: no code fails it at once, and it continues when the object appears. @default false */
  readonly isAwaited?: boolean
  readonly cause?: unknown
}

export class LandscaperError extends Error {
  /** The operation that failed, in one word: `ApplyObjects`. */
  readonly operation: string
  /** Why it failed, in one CamelCase word; also the reason of the event. */
  readonly reason: string
  readonly codes: readonly LandscaperErrorCode[]
  readonly retryAfterMs: number
  readonly isAwaited: boolean

  constructor(operation: string, reason: string, message: string, details: LandscaperErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'LandscaperError'
    this.operation = operation
    this.reason = reason
    this.codes = details.codes ?? []
    this.retryAfterMs = details.retryAfterMs ?? 0
    this.isAwaited = details.isAwaited ?? false
  }
}

/** The provider configuration is invalid: a retry cannot succeed. */
export function configurationProblem(operation: string, message: string, cause?: unknown): LandscaperError {
  return new LandscaperError(operation, 'ConfigurationProblem', message, {
    codes: ['ERR_CONFIGURATION_PROBLEM'],
    ...(cause === undefined ? {} : { cause }),
  })
}

const unrecoverable: ReadonlySet<LandscaperErrorCode> = new Set([
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_INTERNAL_PROBLEM',
  'ERR_READINESS_CHECK_TIMEOUT',
  'ERR_TIMEOUT',
  'ERR_CYCLIC_DEPENDENCIES',
])

export function isUnrecoverable(codes: readonly LandscaperErrorCode[]): boolean {
  return codes.some((code) => unrecoverable.has(code))
}

/** Also true for errors of a deployer that brings its own copy of this library. */
export function isLandscaperError(error: unknown): error is LandscaperError {
  return (
    error instanceof LandscaperError || (error instanceof Error && error.name === 'LandscaperError' && 'codes' in error)
  )
}

/** Converts any thrown value; a `LandscaperError` stays as it is. */
export function asLandscaperError(error: unknown, operation: string): LandscaperError {
  if (isLandscaperError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new LandscaperError(operation, 'Error', message, { cause: error })
}
