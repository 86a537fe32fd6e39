/**
 * Decodes responses: JSON into values, error statuses into `ApiError`. Bytes that are not UTF-8 or not JSON are errors and never replaced,
 * because a wrong value in a cache is worse than a retry.
 */
import { CarabinerError, type HttpHeaders, type HttpRequest, isJsonObject } from '../../runtime/index.ts'
import { ApiError, statusFor } from '../errors.ts'
import type { Status } from '../object.ts'
import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from './json-bytes.ts'
import { type Place, withoutManagedFields } from './strip.ts'

/** As in API servers. Parsing a text that nests a million values takes seconds, and most functions cannot walk through the result. */
const maxDepth = 10_000
/** A shorter text cannot nest deep enough to matter. */
const maxUncheckedBytes = 64 * 1024

const strict = new TextDecoder('utf-8', { fatal: true })
const lenient = new TextDecoder('utf-8')

/**
 * `T` is not validated: the server is trusted to return what the path promises. `stripped` says where managedFields are left out.
 */
export function decode<T>(
  bytes: Uint8Array,
  from: { readonly method: string; readonly target: string },
  stripped?: Place,
): T {
  try {
    if (bytes.length > maxUncheckedBytes) checkDepth(bytes)
    if (stripped === undefined) return JSON.parse(strict.decode(bytes)) as T
    let text = ''
    for (const piece of withoutManagedFields(bytes, stripped)) text += strict.decode(piece)
    return JSON.parse(text) as T
  } catch (cause) {
    const words = lenient.decode(bytes.subarray(0, 80)).replace(/\s+/g, ' ')
    const why = cause instanceof TooDeep ? `is JSON that ${cause.message}` : 'is not JSON'
    throw new CarabinerError(
      'CRB_API_ANSWER_MALFORMED',
      `${from.method} ${from.target.split('?', 1)[0]}: the response ${why}: "${words}"`,
      { cause },
    )
  }
}

class TooDeep extends Error {}

function checkDepth(bytes: Uint8Array): void {
  let depth = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) inString = !inString
    else if (inString) {
      if (byte === backslash) at++
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) throw new TooDeep(`nests values deeper than ${maxDepth}`)
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
}

export function refusal(
  request: HttpRequest,
  answer: { readonly status: number; readonly headers: HttpHeaders },
  body: Uint8Array,
): ApiError {
  const text = lenient.decode(body)
  return new ApiError(request, answer.status, statusIn(text) ?? statusFor(answer.status, text), retryAfter(answer))
}

/** Seconds of a Retry-After header; the form with a date is not used by API servers. */
export function retryAfter(answer: { readonly headers: HttpHeaders }): number | undefined {
  const value = answer.headers['retry-after']
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}

function statusIn(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isStatus(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function isStatus(value: unknown): value is Status {
  return isJsonObject(value) && value['kind'] === 'Status'
}
