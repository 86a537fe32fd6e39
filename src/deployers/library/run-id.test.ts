import { describe, expect, it } from 'vitest'
import { runIdOf } from './run-id.ts'

const item = (generation: number, lastReconcileTime: string) => ({
  metadata: { name: 'item', generation },
  status: { lastReconcileTime, observedGeneration: generation },
})

describe('runIdOf', () => {
  it('differs for a changed item, even within one second', () => {
    const time = '2026-01-01T00:00:00Z'
    expect(runIdOf(item(1, time))).toBe(runIdOf(item(1, time)))
    expect(runIdOf(item(2, time))).not.toBe(runIdOf(item(1, time)))
    expect(runIdOf(item(1, '2026-01-01T00:00:01Z'))).not.toBe(runIdOf(item(1, time)))
  })
})
