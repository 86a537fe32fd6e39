import { describe, expect, it } from 'vitest'
import type { DeployItem } from '../resources/types.ts'
import { Runs } from './runs.ts'

const start = Date.parse('2026-01-01T00:01:00.700Z')
const item = (lastReconcileTime: string | undefined, resourceVersion = '1') =>
  ({
    metadata: { name: 'a', generation: 1, resourceVersion },
    status: { phase: 'Progressing', lastReconcileTime },
  }) as unknown as DeployItem

describe('Runs', () => {
  it('goes on at once with what began before it started, and with what nobody can tell the beginning of', () => {
    const runs = new Runs(start)
    expect(runs.patienceWith('a', item('2026-01-01T00:00:59Z'), start)).toBe(0)
    expect(runs.patienceWith('a', item(undefined), start)).toBe(0)
  })

  it('leaves a run of somebody else alone until nothing has moved for a while', () => {
    const runs = new Runs(start)
    const theirs = '2026-01-01T00:01:00Z'
    expect(runs.patienceWith('a', item(theirs), start)).toBe(15_000)
    expect(runs.patienceWith('a', item(theirs), start + 10_000)).toBe(5_000)
    expect(runs.patienceWith('a', item(theirs, '2'), start + 12_000)).toBe(15_000)
    expect(runs.patienceWith('a', item(theirs, '2'), start + 27_000)).toBe(0)
  })

  it('knows its own, also when others write to the item', () => {
    const runs = new Runs(start)
    const own = '2026-01-01T00:02:00Z'
    runs.take('a', item(own))
    expect(runs.patienceWith('a', item(own, '7'), start + 60_000)).toBe(0)
    runs.forget('a')
    expect(runs.patienceWith('a', item(own, '7'), start + 60_000)).toBe(15_000)
  })
})
