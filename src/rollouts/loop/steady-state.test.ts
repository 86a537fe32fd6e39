import { describe, expect, it } from 'vitest'
import { Stillness } from './steady-state.ts'

describe('a policy that stands still', () => {
  const policy = { name: 'web' }

  it('stays so while its facts are the very same', () => {
    const stillness = new Stillness()
    stillness.note('web', [policy, 1])
    expect(stillness.lasts('web', [policy, 1], 0)).toBe(Infinity)
    expect(stillness.lasts('web', [{ ...policy }, 1], 0)).toBeUndefined()
    expect(stillness.lasts('other', [policy, 1], 0)).toBeUndefined()
  })

  it('moves when there is one fact more or less', () => {
    const stillness = new Stillness()
    stillness.note('web', [policy, 1])
    expect(stillness.lasts('web', [policy], 0)).toBeUndefined()
    expect(stillness.lasts('web', [policy, 1, 'a Job'], 0)).toBeUndefined()
  })

  it('moves when its time has come, whatever its facts', () => {
    const stillness = new Stillness()
    stillness.note('web', [policy], 1_000)
    expect(stillness.lasts('web', [policy], 999)).toBe(1_000)
    expect(stillness.lasts('web', [policy], 1_000)).toBeUndefined()
  })

  it('is forgotten', () => {
    const stillness = new Stillness()
    stillness.note('web', [policy])
    stillness.forget('web')
    expect(stillness.lasts('web', [policy], 0)).toBeUndefined()
  })
})
