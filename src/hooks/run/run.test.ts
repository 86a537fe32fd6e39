import { describe, expect, it } from 'vitest'
import { objectName, type Run, runKey } from './run.ts'

const run: Run = {
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u-1' },
  lifecycle: '5d8c',
  point: '50%',
  hook: 'smoke',
  attempt: 1,
}

describe('a run', () => {
  it('has one name for everything about it', () => {
    expect(runKey(run)).toBe('rollouts/u-1/5d8c/50%/smoke/1')
  })

  it('gives its object the same name every time, and another one to every other run', () => {
    expect(objectName(run)).toMatch(/^web-smoke-[0-9a-f]{10}-1$/)
    expect(objectName({ ...run })).toBe(objectName(run))
    const others = [{ attempt: 2 }, { hook: 'smoke2' }, { lifecycle: 'x' }, { point: '60%' }].map((change) =>
      objectName({ ...run, ...change }),
    )
    expect(new Set([objectName(run), ...others]).size).toBe(5)
  })

  it('keeps names short and legal', () => {
    const long = {
      ...run,
      subject: { ...run.subject, name: 'a.very-'.repeat(20) },
      hook: 'Hook_with.everything'.repeat(5),
      attempt: 123,
    }
    expect(objectName(long)).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    expect(objectName(long).length).toBeLessThanOrEqual(63)
  })
})
