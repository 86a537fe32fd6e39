import { describe, expect, it } from 'vitest'
import { detailWith, ledger, policyWith, troubledPod } from '../../../test/cli/policy.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../../rollouts/policy/types.ts'
import { adviceAfter, adviceFor, adviceText } from './advice.ts'
import type { Detail } from './detail/detail.ts'

const commands = (detail: Detail) => adviceFor(detail).map(({ command }) => command)
const ended = { ...ledger, phase: 'Aborted' as const, endedAt: '2026-01-01T00:00:50.000Z' }
const aborted = (change: Partial<Ledger> = {}, more: Partial<Detail> = {}) =>
  detailWith(policyWith('Stalled', 'Aborted', { ...ended, ...change }), { outcome: 'failed', ...more })
const asking = (...hooks: readonly Partial<HookRecord>[]): RolloutPolicy => {
  const records = hooks.map((hook, index) => ({ ...ledger.hooks[0], name: `ask-${index}`, ...hook }) as HookRecord)
  const policy = policyWith('Reconciling', 'Progressing', { ...ledger, hooks: records })
  const trigger = { progressAvailableParams: { progressPoint: '50%' } }
  const lifecycleHooks = records.map(({ name }) => ({ name, trigger, approval: { message: 'Fine?' } }))
  return { ...policy, spec: { ...policy.spec, lifecycleHooks } }
}

describe('after an abort', () => {
  it('a rollout is looked into, retried or undone', () => {
    expect(commands(aborted())).toEqual([
      'carabiner rollout logs -n shop web',
      'carabiner rollout retry -n shop web',
      'carabiner rollout undo -n shop web',
    ])
  })

  it.each<[string, Detail]>([
    ['it was the first rollout', aborted({ from: undefined } as unknown as Partial<Ledger>)],
    [
      'its revision is gone',
      aborted({}, { revisions: detailWith(policyWith('Ready', 'AtRest')).revisions.slice(0, 1) }),
    ],
    ['it was a way back itself', aborted({ undoOf: 'other' })],
  ])('nothing is offered to go back to where %s', (_, detail) => {
    expect(commands(detail)).toEqual(['carabiner rollout logs -n shop web', 'carabiner rollout retry -n shop web'])
  })

  it('no log is offered where no hook has run', () => {
    expect(commands(aborted({ hooks: [] }))[0]).toBe('carabiner rollout retry -n shop web')
  })

  it.each<[string, Partial<Ledger>]>([
    ['its last hooks run', { endedAt: undefined } as unknown as Partial<Ledger>],
    ['it is being undone', { undo: { to: 'web-1', templateHash: 'h' } }],
  ])('nothing is offered while %s', (_, change) => expect(commands(aborted(change))).toEqual([]))

  it('nothing about the rollout is offered where the policy is stalled for another reason', () => {
    const detail = detailWith(policyWith('Stalled', 'TargetTaken', ended), { outcome: 'failed' })
    expect(commands(detail)).toEqual([])
  })
})

describe('under way', () => {
  it('an approval needs no name where only one waits', () => {
    expect(commands(detailWith(asking({})))).toEqual(['carabiner rollout approve -n shop web'])
    expect(commands(detailWith(asking({}, {})))).toEqual([
      'carabiner rollout approve -n shop web ask-0',
      'carabiner rollout approve -n shop web ask-1',
    ])
    expect(commands(detailWith(asking({ state: 'Succeeded' })))).toEqual([])
  })

  it('a pod that does not start is looked at', () => {
    const policy = policyWith('Reconciling', 'Progressing', ledger)
    expect(commands(detailWith(policy, { pods: [troubledPod] }))).toEqual([
      'kubectl describe pod -n shop web-2-b',
      'carabiner rollout abort -n shop web',
    ])
    expect(commands(detailWith(policy))).toEqual([])
  })
})

it('after success there are logs, and the way back', () => {
  const done = policyWith('Ready', 'Complete', { ...ended, phase: 'Complete' })
  expect(adviceAfter(detailWith(done, { outcome: 'settled' })).map(({ command }) => command)).toEqual([
    'carabiner rollout logs -n shop web',
    'carabiner rollout undo -n shop web',
  ])
  expect(adviceAfter(detailWith(policyWith('Ready', 'AtRest'), { outcome: 'settled' }))).toEqual([])
})

describe('text', () => {
  const reader = (limit: number) => ({
    programName: 'npx carabiner',
    stdout: { isTerminal: true, columns: limit, limit },
  })

  it('names the program as it was started, and is understood by a shell', () => {
    expect(adviceText('What to do', adviceFor(aborted()), reader(100))).toBe(
      [
        '',
        'What to do:',
        '  npx carabiner rollout logs -n shop web    # see what its hooks said',
        '  npx carabiner rollout retry -n shop web   # go on with it, once the cause is fixed',
        '  npx carabiner rollout undo -n shop web    # go back to web-1',
        '',
      ].join('\n'),
    )
  })

  it('never cuts a command', () => {
    const lines = adviceText('What to do', adviceFor(aborted()), reader(40)).split('\n')
    expect(lines).toContain('  # go back to web-1')
    expect(lines).toContain('  npx carabiner rollout retry -n shop web')
  })
})
