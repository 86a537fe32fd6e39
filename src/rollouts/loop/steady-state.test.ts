import { describe, expect, it } from 'vitest'
import { SteadyState } from './steady-state.ts'

describe('a policy that stands still', () => {
  const policy = { name: 'web' }

  it('stays so while its facts are the very same', () => {
    const steady = new SteadyState()
    steady.record('web', [policy, 1])
    expect(steady.unchangedUntil('web', [policy, 1], 0)).toBe(Infinity)
    expect(steady.unchangedUntil('web', [{ ...policy }, 1], 0)).toBeUndefined()
    expect(steady.unchangedUntil('other', [policy, 1], 0)).toBeUndefined()
  })

  it('moves when there is one fact more or less', () => {
    const steady = new SteadyState()
    steady.record('web', [policy, 1])
    expect(steady.unchangedUntil('web', [policy], 0)).toBeUndefined()
    expect(steady.unchangedUntil('web', [policy, 1, 'a Job'], 0)).toBeUndefined()
  })

  it('moves when its time has come, whatever its facts', () => {
    const steady = new SteadyState()
    steady.record('web', [policy], 1_000)
    expect(steady.unchangedUntil('web', [policy], 999)).toBe(1_000)
    expect(steady.unchangedUntil('web', [policy], 1_000)).toBeUndefined()
  })

  it('is forgotten', () => {
    const steady = new SteadyState()
    steady.record('web', [policy])
    steady.forget('web')
    expect(steady.unchangedUntil('web', [policy], 0)).toBeUndefined()
  })
})
