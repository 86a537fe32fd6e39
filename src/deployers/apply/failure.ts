/** What applying or deleting several objects failed with, as one error: every object named, the codes of all. */
import { ApiError, isInvalid, isMissingRight } from '../../kube/errors.ts'
import { LandscaperError } from '../library/errors.ts'
import type { LandscaperErrorCode } from '../resources/types.ts'
import { isFieldConflict } from './write.ts'

export interface Failure {
  /** The object and where it stands: `Deployment shop/web (spec.config.manifests[1].manifest)`. */
  readonly what: string
  readonly error: unknown
}

/** A status is read by people and limited in size. */
const shown = 5

export function failureOf(operation: string, reason: string, failures: readonly Failure[]): LandscaperError {
  const texts = failures.slice(0, shown).map(({ what, error }) => `${what}: ${textOf(error)}`)
  const more = failures.length > shown ? [`and ${failures.length - shown} more`] : []
  const codes = [...new Set(failures.flatMap(({ error }) => codesOf(error)))]
  return new LandscaperError(operation, reason, [...texts, ...more].join('; '), { codes, cause: failures[0]?.error })
}

function textOf(error: unknown): string {
  if (isFieldConflict(error)) {
    const causes = (error as ApiError).status.details?.causes ?? []
    const fields = causes.map(({ field, message }) => `${field} (${message})`)
    return `other managers set ${fields.join(', ')} to other values`
  }
  return error instanceof Error ? error.message : String(error)
}

function codesOf(error: unknown): readonly LandscaperErrorCode[] {
  if (error instanceof LandscaperError) return error.codes
  if (isMissingRight(error)) return ['ERR_UNAUTHORIZED']
  if (isInvalid(error) || isFieldConflict(error) || isUndecodable(error)) return ['ERR_CONFIGURATION_PROBLEM']
  return []
}

/** Too large, or of the wrong shape; a webhook that refuses with the same status may change its mind. */
function isUndecodable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.httpStatus === 413) return true
  return error.httpStatus === 400 && !(error.status.message ?? '').startsWith('admission webhook')
}
