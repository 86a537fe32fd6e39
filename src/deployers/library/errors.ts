/**
 * What goes wrong in a deployer, in the words of the contract: during which operation, for which reason, with which codes. It becomes
 * `status.lastError` and a warning event; a code that cannot be recovered from fails the item at once.
 */
import type { LandscaperErrorCode } from '../resources/types.ts'

export interface LandscaperErrorDetails {
  readonly codes?: readonly LandscaperErrorCode[]
  /** Milliseconds before which trying again is in vain. @default none */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

export class LandscaperError extends Error {
  /** What was being done, in one word: `ApplyObjects`. */
  readonly operation: string
  /** Why it failed, in one word for machines; also the reason of the event. */
  readonly reason: string
  readonly codes: readonly LandscaperErrorCode[]
  readonly retryAfterMs: number

  constructor(operation: string, reason: string, message: string, details: LandscaperErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'LandscaperError'
    this.operation = operation
    this.reason = reason
    this.codes = details.codes ?? []
    this.retryAfterMs = details.retryAfterMs ?? 0
  }
}

/** The provider configuration cannot be used as it is: trying again would be in vain. */
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

/** Also for those of a deployer that was loaded with a copy of this library of its own. */
export function isLandscaperError(error: unknown): error is LandscaperError {
  return (
    error instanceof LandscaperError || (error instanceof Error && error.name === 'LandscaperError' && 'codes' in error)
  )
}

/** Any thrown value as a landscaper error, so that none is lost; those that are one already stay as they are. */
export function asLandscaperError(error: unknown, operation: string): LandscaperError {
  if (isLandscaperError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new LandscaperError(operation, 'Error', message, { cause: error })
}
