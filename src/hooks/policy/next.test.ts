import { describe, expect, it } from 'vitest'
import { type FailurePolicy, next } from './next.ts'

describe('next', () => {
  it('aborts with policy abort and proceeds with policy ignore', () => {
    expect(next({ kind: 'abort' }, 1, 0)).toEqual({ do: 'abort' })
    expect(next({ kind: 'ignore' }, 1, 0)).toEqual({ do: 'proceed' })
  })

  it('doubles the back-off after each failure up to its maximum, and aborts at the limit', () => {
    const policy: FailurePolicy = { kind: 'retry', limit: 4, backoff: 3000, maxBackoff: 10_000 }
    const steps = [1, 2, 3, 4, 5].map((attempts) => next(policy, attempts, 100))
    expect(steps).toEqual([
      { do: 'retry', at: 3100 },
      { do: 'retry', at: 6100 },
      { do: 'retry', at: 10_100 },
      { do: 'retry', at: 10_100 },
      { do: 'abort' },
    ])
  })

  it('proceeds at the limit with atLimit proceed', () => {
    const policy: FailurePolicy = { kind: 'retry', limit: 1, backoff: 3000, maxBackoff: 3000, atLimit: 'proceed' }
    expect([1, 2].map((attempts) => next(policy, attempts, 0).do)).toEqual(['retry', 'proceed'])
  })

  it('retries without end when there is no limit', () => {
    const policy: FailurePolicy = { kind: 'retry', backoff: 1000, maxBackoff: 60_000 }
    expect(next(policy, 1000, 0)).toEqual({ do: 'retry', at: 60_000 })
  })
})
