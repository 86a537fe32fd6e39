import { describe, expect, it } from 'vitest'
import { HookMetrics } from '../metrics/registry.ts'
import type { ObjectPatcher } from '../patches/patcher.ts'
import { applyEffects } from './effects.ts'
import type { RunResult } from './types.ts'

const { signal } = new AbortController()
const result: RunResult = {
  exit: { code: 0, signal: undefined },
  duration: 1,
  metrics: [{ action: 'set', name: 'a', value: 1, labels: {} }],
  patches: [],
  answers: { admission: '', conversion: '' },
  valuesPatches: { values: '', configValues: '' },
}
const patcher = (apply: ObjectPatcher['apply']): ObjectPatcher => ({ apply }) as ObjectPatcher

describe('effects', () => {
  it('[addons R9] are applied in order: metrics, then objects', async () => {
    const metrics = new HookMetrics()
    let seen = ''
    const objects = patcher(async () => {
      seen = metrics.render()
      return []
    })
    expect(await applyEffects({ metrics, patcher: objects }, result, { hook: 'h' }, signal)).toBeUndefined()
    expect(seen).toContain('a{hook="h"} 1')
  })

  it('[addons R9] that fail make the run a failure', async () => {
    const objects = patcher(async () => ['no', 'neither'])
    const metrics = new HookMetrics()
    expect(await applyEffects({ metrics, patcher: objects }, result, {}, signal)).toEqual({
      reason: 'Effects',
      message: 'no\nneither',
    })
  })

  it('[addons Z11] do not change the failure of the run, whether they succeed or fail', async () => {
    const metrics = new HookMetrics()
    const failure = { reason: 'ExitCode', message: 'exited with code 1' } as const
    const fine = patcher(async () => [])
    expect(await applyEffects({ metrics, patcher: fine }, { ...result, failure }, {}, signal)).toEqual(failure)
    const broken = patcher(async () => ['no'])
    expect(await applyEffects({ metrics, patcher: broken }, { ...result, failure }, {}, signal)).toEqual({
      reason: 'ExitCode',
      message: 'exited with code 1\nno',
    })
  })
})
