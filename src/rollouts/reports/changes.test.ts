import { describe, expect, it } from 'vitest'
import type { HookRecord, Ledger } from '../policy/types.ts'
import { changesOf } from './changes.ts'

const time = (second: number) => new Date(1_767_225_600_000 + second * 1000).toISOString()
const hook = (name: string, state: HookRecord['state'], more: Partial<HookRecord> = {}): HookRecord => ({
  ...{ name, point: '50%', state, attempts: 1 },
  ...more,
})
const ledger = (hooks: readonly HookRecord[], more: Partial<Ledger> = {}): Ledger => ({
  ...{ id: 'one', type: 'ROLLOUT', phase: 'Progressing', to: 'web-2', templateHash: 'h', startedAt: time(0), hooks },
  ...more,
})
const changes = (before: Ledger | undefined, after: Ledger | undefined) =>
  changesOf(before, after).map((change) => ({
    kind: change.kind,
    ...(change.kind === 'hook' ? { hook: change.record.name, outcome: change.outcome } : {}),
    ...(change.kind === 'ended' ? { phase: change.phase } : {}),
    ...('seconds' in change ? { seconds: change.seconds } : {}),
  }))

describe('what a write of the ledger tells', () => {
  const running = hook('a', 'Running', { startedAt: time(1) })
  const other = hook('b', 'Running', { startedAt: time(2) })
  const done = hook('a', 'Succeeded', { startedAt: time(1), endedAt: time(5) })

  it('is a start, then nothing until something has ended', () => {
    expect(changes(undefined, ledger([running]))).toEqual([{ kind: 'started' }])
    expect(changes(ledger([hook('a', 'Pending')]), ledger([running]))).toEqual([])
  })

  it('is the end of a hook once, and of a point when all its hooks have ended', () => {
    expect(changes(ledger([running, other]), ledger([done, other]))).toEqual([
      { kind: 'hook', hook: 'a', outcome: 'succeeded', seconds: 4 },
    ])
    const ended = hook('b', 'Ignored', { startedAt: time(2), endedAt: time(9) })
    expect(changes(ledger([done, other]), ledger([done, ended]))).toEqual([
      { kind: 'hook', hook: 'b', outcome: 'failed', seconds: 7 },
      { kind: 'passed', seconds: 8 },
    ])
    expect(changes(ledger([done, ended]), ledger([done, ended]))).toEqual([])
  })

  it('is a cancelled hook, which has not failed', () => {
    const broken = hook('a', 'Cancelled', { startedAt: time(1), endedAt: time(3) })
    expect(changes(ledger([running]), ledger([broken]))).toMatchObject([{ kind: 'hook', outcome: 'cancelled' }, {}])
  })

  it('is a failed attempt that is tried again', () => {
    const again = hook('a', 'Pending', { startedAt: time(1), endedAt: time(3), retryAt: time(13) })
    expect(changes(ledger([running]), ledger([again]))).toEqual([
      { kind: 'hook', hook: 'a', outcome: 'failed', seconds: 2 },
    ])
  })

  it('is an end, also when another rollout or none takes its place', () => {
    const over = ledger([done], { phase: 'Complete', endedAt: time(60) })
    expect(changes(ledger([done]), over)).toEqual([{ kind: 'ended', phase: 'Complete', seconds: 60 }])
    const brokenOff = ledger([hook('a', 'Cancelled', { startedAt: time(1), endedAt: time(60) })], {
      ...{ phase: 'Cancelled', endedAt: time(60) },
    })
    expect(changes(ledger([running]), brokenOff)).toEqual([
      { kind: 'hook', hook: 'a', outcome: 'cancelled', seconds: 59 },
      { kind: 'passed', seconds: 59 },
      { kind: 'ended', phase: 'Cancelled', seconds: 60 },
    ])
    const cancelled = [
      { kind: 'hook', hook: 'a', outcome: 'cancelled', seconds: undefined },
      { kind: 'ended', phase: 'Cancelled', seconds: undefined },
    ]
    expect(changes(ledger([running]), ledger([], { id: 'two' }))).toEqual([...cancelled, { kind: 'started' }])
    expect(changes(ledger([running]), undefined)).toEqual(cancelled)
    expect(changes(over, ledger([], { id: 'two' }))).toEqual([{ kind: 'started' }])
  })

  it('is another start when an aborted rollout is tried again', () => {
    const aborted = ledger([hook('a', 'Failed', { endedAt: time(3) })], { phase: 'Aborted', endedAt: time(4) })
    expect(changes(aborted, ledger([hook('a', 'Pending')]))).toEqual([{ kind: 'started' }])
  })
})
