import { describe, expect, it } from 'vitest'
import { afterFailure, retryDelay } from './retry.ts'

const retry = { backoff: 3000, maxBackoff: 32_000 }

describe('failed run of a script hook', () => {
  it('is retried with exponential back-off up to the maximum', () => {
    const task = { allowFailure: false }
    expect([1, 2, 3, 4, 5, 6].map((failures) => retryDelay(task, retry, failures))).toEqual([
      3000, 6000, 12_000, 24_000, 32_000, 32_000,
    ])
    expect(afterFailure(task, retry, 1, 500)).toEqual({ do: 'retry', at: 3500 })
  })

  it('is ignored when its binding allows failures', () => {
    expect(afterFailure({ allowFailure: true }, retry, 1)).toEqual({ do: 'proceed' })
    expect(retryDelay({ allowFailure: true }, retry, 1)).toBe(0)
  })
})
