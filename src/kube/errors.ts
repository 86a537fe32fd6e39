/**
 * Errors of the API server. Every response with a status of 400 and above becomes an `ApiError` with the whole `Status`, so that callers decide
 * by reason and cause, and users read the server's message.
 */
import { CarabinerError, type ErrorCode } from '../runtime/index.ts'
import type { Status } from './object.ts'

/** Of the message in the error; the `Status` is complete. */
const maxMessageLength = 8_000

export class ApiError extends CarabinerError {
  readonly status: Status
  /** The HTTP status, also when the response has no `Status`. */
  readonly httpStatus: number
  /** Seconds the server asked to wait, from the header or from the details. */
  readonly retryAfterSeconds: number | undefined

  constructor(request: { method: string; target: string }, httpStatus: number, status: Status, retryAfter?: number) {
    const path = request.target.split('?', 1)[0]
    const message = status.message ?? status.reason ?? `HTTP ${httpStatus}`
    super(codeOf(httpStatus), `${request.method} ${path}: ${String(message).slice(0, maxMessageLength)}`)
    this.name = 'ApiError'
    this.status = status
    this.httpStatus = httpStatus
    this.retryAfterSeconds = retryAfter ?? status.details?.retryAfterSeconds
  }
}

function codeOf(httpStatus: number): ErrorCode {
  if (httpStatus === 401) return 'CRB_API_UNAUTHORIZED'
  if (httpStatus === 403) return 'CRB_API_FORBIDDEN'
  return 'CRB_API_REFUSED'
}

/** No API group of the cluster serves the requested type. */
export class ResourceNotServed extends CarabinerError {
  constructor(what: string) {
    super('CRB_RESOURCE_NOT_SERVED', `The cluster serves no resource "${what}".`)
    this.name = 'ResourceNotServed'
  }
}

/** By name too, because the bundled program and the imported library have separate copies of the class. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError || (error instanceof Error && error.name === 'ApiError' && 'httpStatus' in error)
}

function refusedWith(httpStatus: number, reason?: string): (error: unknown) => error is ApiError {
  return (error): error is ApiError =>
    isApiError(error) && error.httpStatus === httpStatus && (reason === undefined || error.status.reason === reason)
}

export const isNotFound = refusedWith(404)
export const isUnauthorized = refusedWith(401)
export const isForbidden = refusedWith(403)
export const isInvalid = refusedWith(422)
export const isTooManyRequests = refusedWith(429)
/** The requested resourceVersion is older than the server remembers: list again. */
export const isGone = refusedWith(410)
/** The object changed since it was read; the other meaning of 409 is `isAlreadyExists`. */
export const isConflict = refusedWith(409, 'Conflict')
export const isAlreadyExists = refusedWith(409, 'AlreadyExists')

/** Nothing can be created in a terminating namespace; this is expected and not worth an error. */
export function isNamespaceEnding(error: unknown): boolean {
  return (
    isForbidden(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  )
}

/** The quota is exceeded or not computed yet; both can pass. The server says so only in the message. */
export function isOverQuota(error: unknown): error is ApiError {
  return isForbidden(error) && /\b(exceeded quota|status unknown for quota): /.test(error.status.message ?? '')
}

/** The user lacks the right. A refusal with the same status because of quota or a terminating namespace is something else. */
export function isMissingRight(error: unknown): error is ApiError {
  return isUnauthorized(error) || (isForbidden(error) && !isOverQuota(error) && !isNamespaceEnding(error))
}

/** The reasons of apimachinery for responses without a `Status`, for example from a proxy. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** A `Status` for a response with another body; the beginning of the body becomes the message. */
export function statusFor(httpStatus: number, body: string): Status {
  // Cut first: the pattern takes quadratic time in a long text.
  const words = body
    .slice(0, 2_000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: httpStatus,
    reason: reasons[httpStatus] ?? 'Unknown',
    message: words === '' ? `the server returned HTTP status ${httpStatus}` : `HTTP ${httpStatus}: ${words}`,
  }
}

/** For `catch`: resolves with undefined when the error is one of these kinds. */
export function unless(...expected: readonly ((error: unknown) => boolean)[]): (error: unknown) => undefined {
  return (error) => {
    if (!expected.some((test) => test(error))) throw error
    return undefined
  }
}
