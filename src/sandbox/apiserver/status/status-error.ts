/**
 * API errors: a `Status` object with code, reason, message and details. Thrown anywhere in the request path and encoded
 * in one place.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import type { FieldError } from '../field-error.ts'

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  readonly retryAfterSeconds?: number
}

export interface GroupResource {
  readonly group: string
  readonly resource: string
}

export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  readonly metadata: JsonObject

  constructor(code: number, reason: string, message: string, details?: StatusDetails, metadata: JsonObject = {}) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.reason = reason
    this.details = details
    this.metadata = metadata
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details as JsonObject }),
      code: this.code,
    }
  }
}

/** A 400 for a body that is not valid for its type; `fault` is the reason without the type. */
export class DecodeError extends StatusError {
  readonly fault: string

  constructor({ kind, version }: { readonly kind: string; readonly version: string }, fault: string) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${kind}: ${fault}`)
    this.fault = fault
  }
}

/** `deployments.apps`, or `pods` for the core group. */
export function qualified({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}

function detailsOf({ group, resource }: GroupResource, name: string, more: StatusDetails = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
    ...more,
  }
}

export function notFound(of: GroupResource, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(of)} "${name}" not found`, detailsOf(of, name))
}

export function pathNotFound(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})
}

export function alreadyExists(of: GroupResource, name: string): StatusError {
  return new StatusError(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, detailsOf(of, name))
}

export function conflict(of: GroupResource, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    detailsOf(of, name),
  )
}

export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again'

export function forbidden(of: GroupResource, name: string, why: string): StatusError {
  const message =
    of.group === '' && of.resource === ''
      ? `forbidden: ${why}`
      : name === ''
        ? `${qualified(of)} is forbidden: ${why}`
        : `${qualified(of)} "${name}" is forbidden: ${why}`
  return new StatusError(403, 'Forbidden', message, of.resource === '' ? {} : detailsOf(of, name))
}

export function invalidObject(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const lines = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const text = lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`
  const full = of.group === '' ? of.kind : `${of.kind}.${of.group}`
  return new StatusError(422, 'Invalid', `${full} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message)
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized')
}

export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message)
}

export function internal(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}
