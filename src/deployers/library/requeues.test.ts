import { describe, expect, it } from 'vitest'
import { Requeues } from './requeues.ts'

const key = 'default/thing'
const finished = { requeue: false, requeueAfterMs: 0, version: '7' }

describe('Requeues', () => {
  it('reconciles an unchanged item again only after a change', () => {
    const requeues = new Requeues()
    expect(requeues.due(key, '7', 0)).toBe('now')
    requeues.record(key, finished, 0)
    expect(requeues.due(key, '7', 1)).toBe('later')
    expect(requeues.due(key, '8', 1)).toBe('now')
  })

  it('reconciles an item once more that was woken during its run', () => {
    const requeues = new Requeues()
    requeues.wake(key)
    requeues.record(key, finished, 0)
    expect([requeues.due(key, '7', 1), requeues.due(key, '7', 1)]).toEqual(['now', 'later'])
  })
})
