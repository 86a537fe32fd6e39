import { describe, expect, it } from 'vitest'
import { errorCodes } from '../resources/types.ts'
import { LandscaperError } from './errors.ts'
import { statusAfterError, statusAfterSuccess } from './status.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000
const escalation = 5 * minute
const error = new LandscaperError('Apply', 'Refused', 'no', { codes: ['ERR_CLEANUP'] })

describe('afterError', () => {
  it('sets lastError, and keeps lastTransitionTime while the operation stays the same [deployers E3]', () => {
    const first = statusAfterError({ phase: 'Progressing' }, error, noon, escalation)
    expect(first).toEqual({
      phase: 'Progressing',
      lastError: {
        operation: 'Apply',
        reason: 'Refused',
        message: 'no',
        codes: ['ERR_CLEANUP'],
        lastTransitionTime: '2026-01-01T12:00:00Z',
        lastUpdateTime: '2026-01-01T12:00:00Z',
      },
    })
    const second = statusAfterError(first, error, noon + minute, escalation)
    expect(second.lastError).toMatchObject({
      lastTransitionTime: '2026-01-01T12:00:00Z',
      lastUpdateTime: '2026-01-01T12:01:00Z',
    })
    const other = statusAfterError(second, new LandscaperError('Wait', 'Late', 'no'), noon + 2 * minute, escalation)
    expect(other.lastError).toMatchObject({ operation: 'Wait', lastTransitionTime: '2026-01-01T12:02:00Z' })
    expect(other.lastError).not.toHaveProperty('codes')
  })

  it('sets phase Failed without a phase, and when the same operation fails for too long [deployers E4]', () => {
    expect(statusAfterError({}, error, noon, escalation).phase).toBe('Failed')
    const first = statusAfterError({ phase: 'Progressing' }, error, noon, escalation)
    expect(statusAfterError(first, error, noon + 5 * minute, escalation).phase).toBe('Progressing')
    expect(statusAfterError(first, error, noon + 5 * minute + 1000, escalation).phase).toBe('Failed')
  })

  it.each(errorCodes)('code %s sets phase Failed at once unless the code is recoverable [deployers E4 W8]', (code) => {
    const failure = new LandscaperError('Apply', 'Refused', 'no', { codes: [code] })
    const isRecoverable = code === 'ERR_UNAUTHORIZED' || code === 'ERR_CLEANUP'
    expect(statusAfterError({ phase: 'Progressing' }, failure, noon, escalation).phase).toBe(
      isRecoverable ? 'Progressing' : 'Failed',
    )
  })
})

describe('afterSuccess', () => {
  const lastError = { operation: 'a', reason: 'b', message: 'c', lastTransitionTime: 'd', lastUpdateTime: 'e' }

  it('sets phase Succeeded and removes the last error [deployers F3 F4]', () => {
    expect(statusAfterSuccess('reconcile', { phase: 'Progressing', lastError }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
    })
    expect(statusAfterSuccess('forceReconcile', { phase: 'Progressing' }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
    })
  })

  it('keeps a final phase the deployer set, and gives a failure a default reason [deployers F3 F4]', () => {
    expect(statusAfterSuccess('reconcile', { phase: 'Failed', lastError }, 'Progressing', noon)).toEqual({
      phase: 'Failed',
      lastError,
    })
    expect(statusAfterSuccess('reconcile', { phase: 'Failed' }, 'Progressing', noon).lastError).toMatchObject({
      reason: 'DeployerFailed',
    })
  })

  it('sets phase Failed with reason Aborted after an abort [deployers F4]', () => {
    expect(statusAfterSuccess('abort', { phase: 'Progressing', lastError }, 'Progressing', noon)).toMatchObject({
      phase: 'Failed',
      lastError: { operation: 'Abort', reason: 'Aborted' },
    })
  })

  it('sets jobIDFinished together with a final phase [deployers P7]', () => {
    expect(statusAfterSuccess('reconcile', { phase: 'Progressing', jobID: 'j' }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
      jobID: 'j',
      jobIDFinished: 'j',
    })
    expect(statusAfterError({ phase: 'Progressing', jobID: 'j' }, error, noon, escalation)).not.toHaveProperty(
      'jobIDFinished',
    )
  })
})
