/** Combines the failures of several objects into one error that names every object and has the codes of all. */
import { ApiError, isInvalid, isMissingRight } from '../../kube/index.ts'
import { LandscaperError } from '../library/errors.ts'
import type { LandscaperErrorCode } from '../resources/types.ts'
import { isFieldConflict } from './apply-object.ts'

export interface Failure {
  /** The object and the field it comes from: `Deployment shop/web (spec.config.manifests[1].manifest)`. */
  readonly object: string
  readonly error: unknown
}

/** Keeps the message in the status readable and small. */
const maxListedFailures = 5

export function failureOf(operation: string, reason: string, failures: readonly Failure[]): LandscaperError {
  const texts = failures.slice(0, maxListedFailures).map(({ object: what, error }) => `${what}: ${textOf(error)}`)
  const more = failures.length > maxListedFailures ? [`and ${failures.length - maxListedFailures} more`] : []
  const codes = [...new Set(failures.flatMap(({ error }) => codesOf(error)))]
  return new LandscaperError(operation, reason, [...texts, ...more].join('; '), { codes, cause: failures[0]?.error })
}

function textOf(error: unknown): string {
  if (isFieldConflict(error)) {
    const causes = (error as ApiError).status.details?.causes ?? []
    const fields = causes.map(({ field, message }) => `${field} (${message})`)
    return `other field managers set different values: ${fields.join(', ')}`
  }
  return error instanceof Error ? error.message : String(error)
}

function codesOf(error: unknown): readonly LandscaperErrorCode[] {
  if (error instanceof LandscaperError) return error.codes
  if (isMissingRight(error)) return ['ERR_UNAUTHORIZED']
  if (isInvalid(error) || isFieldConflict(error) || isUndecodable(error)) return ['ERR_CONFIGURATION_PROBLEM']
  return []
}

/** Too large or malformed. A webhook may answer with the same status but later accept the object, so its denial does not count. */
function isUndecodable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.httpStatus === 413) return true
  return error.httpStatus === 400 && !(error.status.message ?? '').startsWith('admission webhook')
}
