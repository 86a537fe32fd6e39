/**
 * The one error of the jq room. `kind` says who must act: `syntax` the author of the program, `runtime` the data (or the author),
 * `limit` whoever chose the limits, `halt` nobody: the program asked to stop.
 */
import type { Json } from '../runtime/json.ts'

export type JqErrorKind = 'syntax' | 'runtime' | 'limit' | 'halt'

export interface JqErrorDetails {
  /** The value a program gave to `error`; the message itself where it gave a string. */
  readonly value?: Json
  /** Where a syntax error is, counted from 1. */
  readonly line?: number
  readonly column?: number
  /** The offending line with carets under the offending part. */
  readonly picture?: string
  /** What a process that ends with this error should exit with. */
  readonly exitCode?: number
  readonly cause?: unknown
}

export class JqError extends Error {
  readonly kind: JqErrorKind
  readonly value: Json
  readonly line: number | undefined
  readonly column: number | undefined
  readonly picture: string | undefined
  readonly exitCode: number

  constructor(kind: JqErrorKind, message: string, details: JqErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'JqError'
    this.kind = kind
    this.value = details.value === undefined ? message : details.value
    this.line = details.line
    this.column = details.column
    this.picture = details.picture
    this.exitCode = details.exitCode ?? (kind === 'syntax' ? 3 : 5)
  }
}

export function runtimeError(message: string): JqError {
  return new JqError('runtime', message)
}
