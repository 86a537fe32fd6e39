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
  it('has a key of surface, subject, lifecycle, point, hook and attempt', () => {
    expect(runKey(run)).toBe('rollouts/u-1/5d8c/50%/smoke/1')
  })

  it('has an object name that is the same every time and differs from that of every other run', () => {
    expect(objectName(run)).toMatch(/^web-smoke-[0-9a-f]{10}-1$/)
    expect(objectName({ ...run })).toBe(objectName(run))
    const others = [{ attempt: 2 }, { hook: 'smoke2' }, { lifecycle: 'x' }, { point: '60%' }].map((change) =>
      objectName({ ...run, ...change }),
    )
    expect(new Set([objectName(run), ...others]).size).toBe(5)
  })

  it('has an object name that is a valid label value', () => {
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
