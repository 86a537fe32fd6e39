import { describe, expect, it } from 'vitest'
import { errorCodes } from '../resources/types.ts'
import { afterError, afterSuccess } from './ending.ts'
import { LandscaperError } from './errors.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000
const escalation = 5 * minute
const error = new LandscaperError('Apply', 'Refused', 'no', { codes: ['ERR_CLEANUP'] })

describe('after an error', () => {
  it('tells it, and keeps the time of transition with the operation [deployers E3]', () => {
    const first = afterError({ phase: 'Progressing' }, error, noon, escalation)
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
    const second = afterError(first, error, noon + minute, escalation)
    expect(second.lastError).toMatchObject({
      lastTransitionTime: '2026-01-01T12:00:00Z',
      lastUpdateTime: '2026-01-01T12:01:00Z',
    })
    const other = afterError(second, new LandscaperError('Wait', 'Late', 'no'), noon + 2 * minute, escalation)
    expect(other.lastError).toMatchObject({ operation: 'Wait', lastTransitionTime: '2026-01-01T12:02:00Z' })
    expect(other.lastError).not.toHaveProperty('codes')
  })

  it('fails an item without a phase, and one whose operation fails for too long [deployers E4]', () => {
    expect(afterError({}, error, noon, escalation).phase).toBe('Failed')
    const first = afterError({ phase: 'Progressing' }, error, noon, escalation)
    expect(afterError(first, error, noon + 5 * minute, escalation).phase).toBe('Progressing')
    expect(afterError(first, error, noon + 5 * minute + 1000, escalation).phase).toBe('Failed')
  })

  it.each(errorCodes)('with code %s fails the item at once unless it may pass [deployers E4 W8]', (code) => {
    const failure = new LandscaperError('Apply', 'Refused', 'no', { codes: [code] })
    const isRecoverable = code === 'ERR_UNAUTHORIZED' || code === 'ERR_CLEANUP'
    expect(afterError({ phase: 'Progressing' }, failure, noon, escalation).phase).toBe(
      isRecoverable ? 'Progressing' : 'Failed',
    )
  })
})

describe('after a success', () => {
  const lastError = { operation: 'a', reason: 'b', message: 'c', lastTransitionTime: 'd', lastUpdateTime: 'e' }

  it('has succeeded and forgets the last error [deployers F3 F4]', () => {
    expect(afterSuccess('reconcile', { phase: 'Progressing', lastError }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
    })
    expect(afterSuccess('forceReconcile', { phase: 'Progressing' }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
    })
  })

  it('keeps the phase the deployer chose; a failure has a reason [deployers F3 F4]', () => {
    expect(afterSuccess('reconcile', { phase: 'Failed', lastError }, 'Progressing', noon)).toEqual({
      phase: 'Failed',
      lastError,
    })
    expect(afterSuccess('reconcile', { phase: 'Failed' }, 'Progressing', noon).lastError).toMatchObject({
      reason: 'DeployerFailed',
    })
  })

  it('of an abort has failed with a reason of its own [deployers F4]', () => {
    expect(afterSuccess('abort', { phase: 'Progressing', lastError }, 'Progressing', noon)).toMatchObject({
      phase: 'Failed',
      lastError: { operation: 'Abort', reason: 'Aborted' },
    })
  })

  it('answers the job together with the phase [deployers P7]', () => {
    expect(afterSuccess('reconcile', { phase: 'Progressing', jobID: 'j' }, 'Progressing', noon)).toEqual({
      phase: 'Succeeded',
      jobID: 'j',
      jobIDFinished: 'j',
    })
    expect(afterError({ phase: 'Progressing', jobID: 'j' }, error, noon, escalation)).not.toHaveProperty(
      'jobIDFinished',
    )
  })
})
