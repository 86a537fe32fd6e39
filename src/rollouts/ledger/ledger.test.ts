import { expect, it } from 'vitest'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import { ended, historyWith } from './ledger.ts'

it('ends with a rollout what still runs, and leaves alone what never had its turn', () => {
  const hook = (name: string, state: HookRecord['state'], more: Partial<HookRecord> = {}): HookRecord => ({
    ...{ name, point: '50%', state, attempts: state === 'Pending' ? 0 : 1 },
    ...more,
  })
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z']
  const done = hook('done', 'Succeeded', { startedAt: from, endedAt: from })
  const later = hook('later', 'Pending')
  const ledger: Ledger = {
    ...{ id: 'one', type: 'ROLLOUT', phase: 'Progressing', point: '50%', waitingFor: 'runs', to: 'web-2' },
    ...{ templateHash: 'h', startedAt: from, hooks: [done, hook('runs', 'Running', { startedAt: from }), later] },
  }
  const over = ended(ledger, 'Cancelled', Date.parse(to), 'a newer template came')
  expect(over).toEqual({
    ...{ id: 'one', type: 'ROLLOUT', phase: 'Cancelled', to: 'web-2', templateHash: 'h', startedAt: from, endedAt: to },
    message: 'a newer template came',
    hooks: [done, hook('runs', 'Cancelled', { startedAt: from, endedAt: to }), later],
  })
  const [entry] = historyWith({} as RolloutPolicy, over, 5)
  expect(entry?.hooks.map(({ state }) => state)).toEqual(['Succeeded', 'Cancelled', 'Pending'])
})
