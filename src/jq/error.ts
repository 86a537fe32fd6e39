/**
 * The error of the jq room. `kind` says what to change: the program (`syntax`), the data or the program (`runtime`), or the limits
 * (`limit`); after `halt` nothing: the program has stopped itself.
 */
import type { Json } from '../runtime/index.ts'

export type JqErrorKind = 'syntax' | 'runtime' | 'limit' | 'halt'

export interface JqErrorDetails {
  /** The value passed to `error`. @default the message */
  readonly value?: Json
  /** The position of a syntax error, counted from 1. */
  readonly line?: number
  readonly column?: number
  /** The line with carets under the invalid part. */
  readonly picture?: string
  /** The exit code for a process that ends with this error. */
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
