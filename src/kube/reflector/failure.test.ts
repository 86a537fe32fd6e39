import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors.ts'
import type { Status } from '../object.ts'
import { failureOfError, failureOfStatus } from './failure.ts'

const status = (fields: Partial<Status>): Status => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...fields })

describe('failureOfStatus and failureOfError', () => {
  it('classify 410 as expired, as a response and as an event', () => {
    const gone = status({ code: 410, reason: 'Expired', message: 'too old resource version: 1 (2)' })
    expect(failureOfStatus(gone)).toEqual({ kind: 'expired' })
    expect(failureOfError(new ApiError({ method: 'GET', target: '/' }, 410, gone))).toEqual({ kind: 'expired' })
  })

  it('classify a too large resource version as rewound', () => {
    const message = 'Too large resource version: 900, current: 3'
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
    expect(failureOfStatus(status({ code: 504, reason: 'Timeout', message }))).toEqual({ kind: 'rewound' })
    expect(failureOfStatus(status({ code: 504, reason: 'Timeout', details: { causes } }))).toEqual({ kind: 'rewound' })
  })

  it('classify other errors as refused, with Retry-After in milliseconds', () => {
    expect(failureOfStatus(status({ code: 429, message: 'slow down', details: { retryAfterSeconds: 2 } }))).toEqual({
      kind: 'refused',
      code: 429,
      retryAfter: 2_000,
      message: 'slow down',
    })
    const error = new ApiError({ method: 'GET', target: '/' }, 503, status({ message: 'x' }), 7)
    expect(failureOfError(error)).toEqual({ kind: 'refused', code: 503, retryAfter: 7_000, message: 'x' })
  })

  it('classify errors without a status as a broken connection', () => {
    expect(failureOfError(new Error('ECONNRESET'))).toEqual({ kind: 'broken', message: 'ECONNRESET' })
  })
})
