import { describe, expect, it } from 'vitest'
import type { DeployItem } from '../resources/types.ts'
import { RunOwnership } from './run-ownership.ts'

const start = Date.parse('2026-01-01T00:01:00.700Z')
const item = (lastReconcileTime: string | undefined, resourceVersion = '1') =>
  ({
    metadata: { name: 'a', generation: 1, resourceVersion },
    status: { phase: 'Progressing', lastReconcileTime },
  }) as unknown as DeployItem

describe('Runs', () => {
  it('takes over at once a run that began before this process, and a run without a start time', () => {
    const runs = new RunOwnership(start)
    expect(runs.takeoverWaitMs('a', item('2026-01-01T00:00:59Z'), start)).toBe(0)
    expect(runs.takeoverWaitMs('a', item(undefined), start)).toBe(0)
  })

  it('takes over a run of another process only after the item has not changed for a while', () => {
    const runs = new RunOwnership(start)
    const theirs = '2026-01-01T00:01:00Z'
    expect(runs.takeoverWaitMs('a', item(theirs), start)).toBe(15_000)
    expect(runs.takeoverWaitMs('a', item(theirs), start + 10_000)).toBe(5_000)
    expect(runs.takeoverWaitMs('a', item(theirs, '2'), start + 12_000)).toBe(15_000)
    expect(runs.takeoverWaitMs('a', item(theirs, '2'), start + 27_000)).toBe(0)
  })

  it('continues its own run at once, even when others write to the item', () => {
    const runs = new RunOwnership(start)
    const own = '2026-01-01T00:02:00Z'
    runs.claim('a', item(own))
    expect(runs.takeoverWaitMs('a', item(own, '7'), start + 60_000)).toBe(0)
    runs.forget('a')
    expect(runs.takeoverWaitMs('a', item(own, '7'), start + 60_000)).toBe(15_000)
  })
})
