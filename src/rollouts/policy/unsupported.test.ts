import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile.ts'
import type { RolloutPolicySpec } from './types.ts'
import { unsupportedIn } from './unsupported.ts'

const execNewPod = { containerName: 'main', command: ['true'] }
const supported = (spec: Omit<RolloutPolicySpec, 'targetRef'>) => {
  const compiled = compilePolicy({ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...spec })
  return 'problems' in compiled ? compiled.problems : unsupportedIn(compiled)
}

describe('what this version does not carry out', () => {
  it('is named, hook by hook', () => {
    const mid = { failurePolicy: 'Abort', execNewPod } as const
    const post = { failurePolicy: 'Ignore', approval: {} } as const
    expect(supported({ lifecycle: { mid, post }, onAbort: 'Undo' })).toBe(
      'hook mid runs in the middle of a Recreate; onAbort is Undo: not supported yet',
    )
  })

  it('is nothing in a policy of Jobs and pods', () => {
    expect(supported({ lifecycle: { pre: { failurePolicy: 'Retry', execNewPod } }, onAbort: 'Hold' })).toBeUndefined()
  })
})
