import { describe, expect, it } from 'vitest'
import { type CompiledPolicy, compilePolicy, showMoment } from './compile.ts'
import type { RolloutPolicySpec } from './types.ts'

const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } as const
const execNewPod = { containerName: 'web', command: ['migrate'] }
const jobSpec = { template: { spec: { containers: [{ name: 't' }] } } }

function compiled(spec: Omit<RolloutPolicySpec, 'targetRef'>): CompiledPolicy {
  const policy = compilePolicy({ targetRef, ...spec })
  if ('problems' in policy) throw new Error(JSON.stringify(policy.problems))
  return policy
}

describe('compilePolicy', () => {
  it.each([
    ['1h30m', 5400],
    ['45s', 45],
    ['2m', 120],
  ])('waits %s for an approval', (timeout, timeoutSeconds) => {
    const trigger = { progressAvailableParams: { progressPoint: 0 } }
    const { hooks } = compiled({ lifecycleHooks: [{ name: 'ask', trigger, approval: { timeout } }] })
    expect(hooks[0]?.action).toEqual({ kind: 'approval', approval: { timeoutSeconds } })
  })

  it.each(['http://a b/', 'https://', 'http://[::1', 'http://x:99999/'])('takes %s for no address', (url) => {
    const trigger = { progressAvailableParams: { progressPoint: 0 } }
    expect(compilePolicy({ targetRef, lifecycleHooks: [{ name: 'tell', trigger, http: { url } }] })).toEqual({
      problems: [{ field: 'spec.lifecycleHooks[0]', message: 'http.url is no address that can be called' }],
    })
  })

  it('puts pre at 0, post at the end, and fills in defaults', () => {
    const { hooks, onAbort, historyLimit } = compiled({
      lifecycle: { pre: { failurePolicy: 'Abort', execNewPod }, post: { failurePolicy: 'Continue', execNewPod } },
      lifecycleHooks: [
        {
          name: 'half',
          trigger: { progressAvailableParams: { progressPoint: '50%' } },
          jobSpec,
          rolloutTypes: ['ROLLBACK'],
          timeoutSeconds: 9,
        },
      ],
    })
    expect(
      hooks.map(({ name, moment, failurePolicy, rolloutTypes, timeout }) => [
        name,
        showMoment(moment),
        failurePolicy.kind,
        [...rolloutTypes],
        timeout,
      ]),
    ).toEqual([
      ['pre', '0', 'abort', ['ROLLOUT', 'ROLLBACK', 'RESTART'], undefined],
      ['post', 'post', 'ignore', ['ROLLOUT', 'ROLLBACK', 'RESTART'], undefined],
      ['half', '50%', 'abort', ['ROLLBACK'], 9000],
    ])
    expect([onAbort, historyLimit]).toEqual(['Hold', 5])
  })

  it('reads timeouts and retries', () => {
    const [first, second] = compiled({
      lifecycle: {
        pre: { failurePolicy: 'Retry', execNewPod },
        mid: { failurePolicy: 'Retry', execNewPod, retry: { limit: 2, backoffSeconds: 30, maxBackoffSeconds: 5 } },
      },
    }).hooks
    expect(first?.failurePolicy).toEqual({ kind: 'retry', backoff: 10_000, maxBackoff: 300_000 })
    expect(second?.failurePolicy).toEqual({ kind: 'retry', limit: 2, backoff: 30_000, maxBackoff: 30_000 })
  })

  it('[rollouts W28] reads the types of a hook from rolloutTypes, also from its previous name on', () => {
    const hook = { trigger: { progressAvailableParams: { progressPoint: 0 } }, jobSpec }
    const { hooks } = compiled({
      lifecycleHooks: [
        { ...hook, name: 'back', rolloutTypes: ['UNDO'] },
        { ...hook, name: 'web', on: ['ROLLBACK'] },
      ],
    })
    expect(hooks.map(({ rolloutTypes }) => rolloutTypes)).toEqual([['UNDO'], ['ROLLBACK']])
  })

  it('[rollouts W28] limits the retries of a hook for an abort, because the way back waits for it', () => {
    const trigger = { type: 'Aborted' } as const
    const hook = { name: 'restore', trigger, jobSpec, failurePolicy: 'Retry' } as const
    const policyOf = (retry: object) => compiled({ lifecycleHooks: [{ ...hook, ...retry }] }).hooks[0]?.failurePolicy
    expect(policyOf({})).toMatchObject({ kind: 'retry', limit: 5, atLimit: 'proceed' })
    expect(policyOf({ retry: { limit: 2 } })).toMatchObject({ limit: 2, atLimit: 'proceed' })
  })

  it('names the field of everything that is wrong, at once', () => {
    const policy = compilePolicy({
      targetRef,
      lifecycle: { pre: { failurePolicy: 'Abort' }, post: { failurePolicy: 'Abort', execNewPod } },
      lifecycleHooks: [
        { name: 'a', trigger: { progressAvailableParams: { progressPoint: 'soon' } }, jobSpec },
        { name: 'b', trigger: { type: 'Aborted' }, jobSpec, execNewPod },
        { name: 'c', trigger: { type: 'Aborted' }, jobSpec, on: ['ROLLOUT'], rolloutTypes: ['UNDO'] },
      ],
    })
    expect(policy).toEqual({
      problems: [
        { field: 'spec.lifecycle.pre', message: 'exactly one of jobSpec, execNewPod, http, approval must be given' },
        { field: 'spec.lifecycle.post.failurePolicy', message: 'Abort is not possible after the rollout' },
        {
          field: 'spec.lifecycleHooks[0]',
          message: 'progressPoint must be a number of pods or a percentage from 0% to 100%, but is "soon"',
        },
        {
          field: 'spec.lifecycleHooks[1]',
          message: 'exactly one of jobSpec, execNewPod, http, approval must be given',
        },
        {
          field: 'spec.lifecycleHooks[2]',
          message: 'on is the previous name of rolloutTypes: only one of them can be given',
        },
      ],
    })
  })
})
